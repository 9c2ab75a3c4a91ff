// SPDX-License-Identifier: Apache-2.0

// A client file while uploads are integrated: its cursors, and the history as this client sees it.
//
// Invariants:
// 1. The form of an entry for the client is that in `reciprocals`, if it is there, or that in the
//    history.

import RealmSyncProtocol

/// A client file and the forms that entries have for it.
struct FileState {
  /// The place of a changeset in the history as the client sees it.
  enum Place: Hashable {
    case entry(UInt64)
    case privateChange(UInt64)
  }

  var file: ClientFile
  private var reciprocals: [UInt64: Changeset]
  private var privates: [UInt64: Changeset]
  /// What merging altered.
  private var altered: Set<Place> = []

  init(
    file: ClientFile, reciprocals: [UInt64: Changeset], privates: [UInt64: Changeset]
  ) {
    self.file = file
    self.reciprocals = reciprocals
    self.privates = privates
  }

  /// The changesets after a version that are not the client's own, in the forms that they have for
  /// it, and their places.
  func locals(
    after base: UInt64, _ history: HistoryWindow
  ) -> (changesets: [Changeset], places: [Place]) {
    var changesets: [Changeset] = []
    var places: [Place] = []
    func add(_ changeset: Changeset, _ place: Place) {
      guard !changeset.isEmpty else { return }
      changesets.append(changeset)
      places.append(place)
    }
    guard base < history.end else { return ([], []) }
    for version in base + 1...history.end {
      let entry = history[version]
      if entry.origin.file == file.ident {
        // The client's own.
      } else if var form = reciprocals[version] {
        form.origin = entry.origin
        add(form, .entry(version))
      } else {
        add(entry, .entry(version))
      }
      if let change = privates[version] { add(change, .privateChange(version)) }
    }
    return (changesets, places)
  }

  mutating func alter(_ place: Place, to changeset: Changeset) {
    switch place {
    case .entry(let version): reciprocals[version] = changeset
    case .privateChange(let version): privates[version] = changeset
    }
    altered.insert(place)
  }

  /// What is to be stored of the altered forms that the client may still need.
  var changes: (reciprocals: [ReciprocalChange], privates: [PrivateChange]) {
    var result: (reciprocals: [ReciprocalChange], privates: [PrivateChange]) = ([], [])
    for place in altered {
      switch place {
      case .entry(let version) where version > file.reciprocalBase:
        guard let changeset = reciprocals[version] else { continue }
        result.reciprocals.append(
          ReciprocalChange(
            file: file.ident, version: version, changeset: ChangesetEncoder.encode(changeset)))
      case .privateChange(let version) where version > file.reciprocalBase:
        guard let changeset = privates[version] else { continue }
        result.privates.append(
          PrivateChange(
            file: file.ident, version: version, timestamp: changeset.origin.timestamp,
            changeset: ChangesetEncoder.encode(changeset)))
      default: continue
      }
    }
    result.reciprocals.sort { $0.version < $1.version }
    result.privates.sort { $0.version < $1.version }
    return result
  }
}
