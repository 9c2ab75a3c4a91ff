// SPDX-License-Identifier: Apache-2.0

// Results that follow their realm by the change log, without a new query: from version to version,
// and through a write transaction.

import RealmQuery
import RealmSession
import RealmStorage
import RealmTables

extension ResultsState {
  /// What results held at one moment, in a form from which later states are made.
  struct Settled {
    let moment: DataRevision
    var contents: _CollectionContents
    /// Nil if the elements alone tell it.
    let state: ResultState?
  }

  /// Telling elements apart by a sort, so that it can go on from there, costs many times what a
  /// single look takes.
  private static let plainLooks = 4

  /// Whether later contents can be made from earlier ones: those of queries of a table.
  private var isRefreshable: Bool {
    guard case .table = source else { return false }
    return info != nil && !request.isEverything && !core.isFrozen
  }

  /// Whether what the last steps remember is worth being found.
  private var remembersSteps: Bool {
    evaluationCount >= Self.plainLooks || !request.hasDistinct
  }

  /// What was kept of the present transaction or, outside and at its beginning, of a version.
  private var lastSettled: Settled? {
    guard core.isInWrite else {
      settledWhileWriting = nil
      return settled
    }
    if let last = settledWhileWriting, case .writing(core.transactionNumber, _) = last.moment {
      return last
    }
    settledWhileWriting = nil
    return settled
  }

  /// What was kept, brought to what the realm shows; nil if a new query is cheaper.
  func refreshedContents() throws(StorageError) -> _CollectionContents? {
    guard isRefreshable, let last = lastSettled, let info else { return nil }
    if !core.isInWrite, last.moment == .version(try core.readableTables().version) {
      return last.contents
    }
    guard let state = last.usableState,
      // A log takes longer to read the longer it is, and a query the more it has to find.
      let changes = try core.changes(since: last.moment, byteLimit: 4096 + state.count / 16)
    else { return nil }
    let query = request.query(of: info.tableKey)
    let tables = try core.presentTables()
    let refreshed = try unwrappingQueryErrors { () throws(QueryError) in
      try query.refreshed(state, by: changes, in: tables)
    }
    guard let refreshed else { return nil }
    return try settle(refreshed)
  }

  /// Finds the elements by a query, and keeps what later states need.
  func settledEvaluation() throws(StorageError) -> _CollectionContents? {
    guard isRefreshable, let info else { return nil }
    evaluationCount &+= 1
    if request.rest.isEmpty {
      let contents = try evaluate()
      keep(Settled(moment: try core.revision(), contents: contents, state: nil))
      return contents
    }
    guard remembersSteps else { return nil }
    let tables = try core.presentTables()
    let state = try unwrappingQueryErrors { () throws(QueryError) in
      try self.request.query(of: info.tableKey).state(in: tables)
    }
    return try settle(state)
  }

  private func settle(_ state: ResultState) throws(StorageError) -> _CollectionContents? {
    guard let keys = state.keys else { return nil }
    let contents = try _CollectionContents(.chunkedKeys(keys), core, info)
    keep(Settled(moment: try core.revision(), contents: contents, state: state))
    return contents
  }

  private func keep(_ found: Settled) {
    if case .writing = found.moment { settledWhileWriting = found } else { settled = found }
  }
}

extension ResultsState.Settled {
  /// What later versions are made from; nil for contents that cannot be exchanged in parts.
  fileprivate var usableState: ResultState? {
    if let state { return state }
    return contents.chunkedKeys.map { ResultState($0) }
  }
}

extension _CollectionContents {
  /// The keys in the form in which parts of them can be exchanged; nil for other contents.
  var chunkedKeys: ChunkedKeys? {
    switch form {
    case .chunkedKeys(let keys): keys
    case .keys(let keys): ChunkedKeys(keys)
    case .table, .values, .list: nil
    }
  }
}
