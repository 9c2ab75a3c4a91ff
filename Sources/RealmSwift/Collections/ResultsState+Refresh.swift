// SPDX-License-Identifier: Apache-2.0

// Results that follow the versions of their realm by the change log, without a new query.

import RealmQuery
import RealmStorage
import RealmTables

extension ResultsState {
  /// What results held in one version, in a form from which later versions are made.
  struct Settled {
    let version: UInt64
    let contents: _CollectionContents
    /// Nil if the elements alone tell it.
    let state: ResultState?
  }

  /// Telling elements apart by a sort, so that it can go on from there, costs many times what a
  /// single look takes.
  private static let plainLooks = 4

  /// Whether later contents can be made from earlier ones: those of queries of a table.
  private var isRefreshable: Bool {
    guard case .table = source else { return false }
    return info != nil && !request.isEverything && !core.isInWrite
  }

  /// Whether what the last steps remember is worth being found.
  private var remembersSteps: Bool {
    evaluationCount >= Self.plainLooks || !request.hasDistinct
  }

  /// What was kept, brought to the version that the realm shows; nil if a new query is cheaper.
  func refreshedContents() throws(StorageError) -> _CollectionContents? {
    guard let settled, let info, isRefreshable else { return nil }
    let shown = try core.readableGroup()
    if settled.version == shown.version { return settled.contents }
    guard settled.version < shown.version, let state = settled.usableState,
      // A log takes longer to read the longer it is, and a query the more it has to find.
      let changes = try core.changes(
        since: settled.version, through: shown, byteLimit: 4096 + state.count / 2)
    else { return nil }
    let query = request.query(of: info.tableKey)
    let refreshed = try unwrappingQueryErrors { () throws(QueryError) in
      try query.refreshed(state, by: changes, in: shown)
    }
    guard let refreshed else { return nil }
    return try settle(refreshed, at: shown.version)
  }

  /// Finds the elements by a query, and keeps what later versions need.
  func settledEvaluation() throws(StorageError) -> _CollectionContents? {
    guard isRefreshable, let info else { return nil }
    let shown = try core.readableGroup()
    evaluationCount &+= 1
    if request.rest.isEmpty {
      let contents = try evaluate()
      settled = Settled(version: shown.version, contents: contents, state: nil)
      return contents
    }
    settled = nil
    guard remembersSteps else { return nil }
    let state = try unwrappingQueryErrors { () throws(QueryError) in
      try self.request.query(of: info.tableKey).state(in: shown)
    }
    return try settle(state, at: shown.version)
  }

  private func settle(
    _ state: ResultState, at version: UInt64
  ) throws(StorageError) -> _CollectionContents? {
    guard let keys = state.keys else { return nil }
    let contents = try _CollectionContents(.chunkedKeys(keys), core, info)
    settled = Settled(version: version, contents: contents, state: state)
    return contents
  }
}

extension ResultsState.Settled {
  /// What later versions are made from; nil for contents that cannot be exchanged in parts.
  fileprivate var usableState: ResultState? {
    if let state { return state }
    return switch contents.form {
    case .chunkedKeys(let keys): ResultState(keys)
    case .keys(let keys): ResultState(ChunkedKeys(keys))
    case .table, .values, .list: nil
    }
  }
}
