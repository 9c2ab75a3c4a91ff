// SPDX-License-Identifier: Apache-2.0

// An upload on its way from its bytes to its answer.
//
// Invariants:
// 1. The bytes of an upload are parsed once, however many transactions are tried.

import RealmSyncProtocol

/// An upload with the findings about it.
struct UploadAttempt: Sendable {
  /// The size up to which an upload is read before its turn. What is read has many times the memory
  /// of its bytes, and many uploads may wait.
  static let earlyByteCountMax = 1 << 16

  let upload: Upload
  /// The entries, once they were read, but for those from one on that cannot be.
  private(set) var entries: [ReceivedEntry] = []
  /// Why an entry cannot be read; nil if all of them can.
  private(set) var flaw: SessionRefusal?
  private(set) var isRead = false

  /// The properties hidden from the author; nil if it sees all.
  var hidden: UnreadFields?
  /// The writes that are left out, as the user may not make them; nil in partition mode.
  private(set) var refused: RefusedWrites?
  /// What the realm lacks of the classes that the upload names, put before its first change.
  var declarations: Changeset?
  /// The outcome of the upload; nil while it waits for its transaction.
  private(set) var outcome: UploadOutcome?

  init(_ upload: Upload) {
    self.upload = upload
    refused = upload.rules.map { _ in RefusedWrites() }
  }

  /// Reads the bytes of the upload, unless that has happened.
  mutating func read(_ limits: Integration.Limits = Integration.Limits()) {
    guard !isRead else { return }
    isRead = true
    guard upload.entries.count <= limits.entryCount else {
      flaw = SessionRefusal(.badChangeset, "Too many changesets")
      return
    }
    entries.reserveCapacity(upload.entries.count)
    var instructionsLeft = limits.instructionCount
    do throws(SessionRefusal) {
      for entry in upload.entries {
        let received = try ReceivedEntry(
          entry, of: upload.file, instructionCountMax: instructionsLeft)
        instructionsLeft -= received.instructionCount
        entries.append(received)
      }
    } catch {
      flaw = error
    }
  }

  /// The entries that a client's file does not have. The same changes again, after a lost
  /// connection, are skipped.
  func newEntries(_ file: ClientFile) -> ArraySlice<ReceivedEntry> {
    entries.drop { $0.clientVersion <= file.clientVersion }
  }

  /// Leaves writes out of the next try.
  ///
  /// - Returns: Whether some of them were not left out before.
  mutating func leaveOut(_ writes: RefusedWrites) -> Bool {
    guard !leavesOut(writes) else { return false }
    var all = refused ?? RefusedWrites()
    all.formUnion(writes)
    refused = all
    return true
  }

  /// Whether writes are left out already.
  func leavesOut(_ writes: RefusedWrites) -> Bool {
    guard var all = refused else { return false }
    all.formUnion(writes)
    return all == refused
  }

  /// Whether the upload waits for its transaction.
  var isOpen: Bool { outcome == nil }

  /// Notes the outcome of the upload.
  mutating func end(_ outcome: UploadOutcome) {
    if self.outcome == nil { self.outcome = outcome }
  }

  /// Notes that what was found out cannot be relied on; what is stored is.
  mutating func fail(_ error: StoreError) {
    if case .integrated = outcome { return }
    outcome = .failed(error)
  }
}
