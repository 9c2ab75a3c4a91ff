// SPDX-License-Identifier: Apache-2.0

// Results that follow the versions of their realm by the change log, without a new query.

import RealmQuery
import RealmStorage
import RealmTables

extension ResultsState {
  /// Whether later contents can be made from earlier ones: those of filters and orders of a table.
  private var isRefreshable: Bool {
    guard case .table = source else { return false }
    return info != nil && !request.isEverything && request.rest.isEmpty && !core.isInWrite
  }

  /// What was kept, brought to the version that the realm shows; nil if a new query is cheaper.
  func refreshedContents() throws(StorageError) -> _CollectionContents? {
    guard let settled, let info, isRefreshable else { return nil }
    let shown = try core.readableGroup()
    if settled.version == shown.version { return settled.contents }
    guard let keys = settled.contents.chunkedKeys, settled.version < shown.version,
      // A log takes longer to read the longer it is, and a query the more it has to find.
      let changes = try core.changes(
        since: settled.version, through: shown, byteLimit: 4096 + keys.count / 2)
    else { return nil }
    let query = request.query(of: info.tableKey)
    let refreshed = try unwrappingQueryErrors { () throws(QueryError) in
      try query.refreshed(keys, by: changes, in: shown)
    }
    guard let refreshed else { return nil }
    let contents = try _CollectionContents(.chunkedKeys(refreshed), core, info)
    self.settled = (shown.version, contents)
    return contents
  }

  /// Keeps what was found, for later versions.
  func settle(_ contents: _CollectionContents) {
    guard isRefreshable, let shown = core.shownGroup else { return }
    settled = (shown.version, contents)
  }
}

extension _CollectionContents {
  /// The keys in the form in which parts of them can be exchanged; nil for other contents.
  fileprivate var chunkedKeys: ChunkedKeys? {
    switch form {
    case .chunkedKeys(let keys): keys
    case .keys(let keys): ChunkedKeys(keys)
    case .table, .values, .list: nil
    }
  }
}
