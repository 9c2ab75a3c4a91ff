// SPDX-License-Identifier: Apache-2.0

// Earlier contents of results, from which later ones are made.
//
// Invariants:
// 1. An entry holds no version of the file: keys alone, and the point in time that they are from.
// 2. What was found within a write transaction is kept besides what was found before it, as the
//    transaction may be undone; it is dropped with the transaction.

import RealmQuery
import RealmSession

/// The last known contents of one `Results`.
struct ResultsHistory {
  /// The contents at one point in time.
  struct Entry {
    let moment: DataRevision
    var contents: _CollectionContents
    /// The lists that the steps of the query remember; nil if the elements are all that there is.
    let state: ResultState?

    /// The state that later ones are made from; nil for contents that cannot be exchanged in parts.
    var usableState: ResultState? { state ?? contents.chunkedKeys.map { ResultState($0) } }
  }

  private var committed: Entry?
  private var written: Entry?
  /// The number of times that the query was run.
  var evaluationCount = 0

  var isEmpty: Bool { committed == nil && written == nil }

  /// The last entry of the present transaction or, outside and at its beginning, of a version.
  mutating func last(in core: RealmCore) -> Entry? {
    if let written {
      if core.isInWrite, case .writing(core.transactionNumber, _) = written.moment {
        return written
      }
      self.written = nil
    }
    return committed
  }

  mutating func keep(_ entry: Entry) {
    assert(entry.contents.areKeys, "`ResultsHistory` 1: an entry holds keys alone")
    if case .writing = entry.moment { written = entry } else { committed = entry }
  }

  /// Keeps the same elements in another form.
  mutating func replace(_ contents: _CollectionContents, by other: _CollectionContents) {
    if committed?.contents === contents { committed?.contents = other }
    if written?.contents === contents { written?.contents = other }
  }
}

extension _CollectionContents {
  /// Whether the contents are keys, which need no version of the file.
  fileprivate var areKeys: Bool {
    switch form {
    case .keys, .chunkedKeys: true
    case .table, .values, .list: false
    }
  }

  /// The keys in the form in which parts of them can be exchanged; nil for other contents.
  var chunkedKeys: ChunkedKeys? {
    switch form {
    case .chunkedKeys(let keys): keys
    case .keys(let keys): ChunkedKeys(keys)
    case .table, .values, .list: nil
    }
  }
}
