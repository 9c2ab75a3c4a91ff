// SPDX-License-Identifier: Apache-2.0

// What is left out of an upload before it is merged, and what is put in.

import RealmSyncProtocol

/// Leaves out of the entries of one upload what its author may not write or could not read.
struct WithheldWrites {
  private let right: WriteRight
  private let hidden: UnreadFields?
  /// Whether the objects are noted that the client makes.
  private let makesViews: Bool
  /// Declarations to put before the first change of the upload.
  private var declarations: Changeset?
  /// The writes that are refused.
  private(set) var compensation: Compensation

  init(_ attempt: UploadAttempt, _ schema: SchemaKeeper?, makesViews: Bool) {
    right = attempt.upload.right
    hidden = attempt.hidden
    self.makesViews = makesViews
    declarations = attempt.declarations
    compensation = Compensation(file: attempt.upload.file, schema: schema, attempt.refused)
  }

  /// What is left of the next entry.
  mutating func withhold(from received: ReceivedEntry) throws(SessionRefusal) -> MergedEntry {
    var entry = MergedEntry(received, isChanged: right != .allowed)
    if right != .allowed { try compensation.take(from: &entry.changeset, right) }
    if try compensation.takeRefused(from: &entry.changeset) { entry.isChanged = true }
    if let hidden {
      let taken = hidden.take(from: &entry.changeset, base: received.serverVersion)
      if taken.isChanged { entry.isChanged = true }
      entry.reduced = taken.reduced
    }
    if let declarations {
      entry.changeset.prepend(declarations)
      (entry.isChanged, entry.declares) = (true, true)
      self.declarations = nil
    }
    if makesViews, received.creates { entry.made = entry.changeset.madeObjects }
    return entry
  }
}
