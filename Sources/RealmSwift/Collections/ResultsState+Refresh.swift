// SPDX-License-Identifier: Apache-2.0

// Results that follow their realm by the change log, without running the query again: from version
// to version, and through a write transaction.

import RealmQuery
import RealmSession
import RealmStorage
import RealmTables

extension ResultsState {
  /// Grouping equal elements by a sort, so that it can go on from there, costs many times what one
  /// evaluation takes.
  private static let plainEvaluationCount = 4

  /// Whether later contents can be made from earlier ones: those of queries of a table.
  private var isRefreshable: Bool {
    guard case .table = source else { return false }
    return info != nil && !query.isEverything && !core.isFrozen
  }

  /// The kept contents, brought to the state that the realm shows; nil if running the query is
  /// cheaper.
  func refreshedContents() throws(StorageError) -> _CollectionContents? {
    guard isRefreshable, let last = unsafe history.last(in: core) else { return nil }
    if !core.isInWrite, last.moment == .version(try core.readableTables().version) {
      return last.contents
    }
    guard let state = last.usableState,
      // A log takes longer to read the longer it is, and a query the more it has to find.
      let changes = try core.changes(since: last.moment, byteLimit: 4096 + state.count / 16)
    else { return nil }
    let tables = try core.presentTables()
    let refreshed = try trappingMistakes(query.refreshed(state, by: changes, in: tables))
    return try refreshed.flatMap(keep)
  }

  /// Finds the elements by running the query, and keeps what later states need; nil if the
  /// elements alone are found faster.
  func keptEvaluation() throws(StorageError) -> _CollectionContents? {
    guard isRefreshable else { return nil }
    unsafe history.evaluationCount &+= 1
    if query.steps.isEmpty {
      let contents = try evaluate()
      unsafe history.keep(
        ResultsHistory.Entry(moment: try core.revision(), contents: contents, state: nil))
      return contents
    }
    guard unsafe history.evaluationCount >= Self.plainEvaluationCount || !query.hasDistinct else {
      return nil
    }
    let tables = try core.presentTables()
    return try keep(trappingMistakes(query.state(in: tables)))
  }

  private func keep(_ state: ResultState) throws(StorageError) -> _CollectionContents? {
    guard let keys = state.keys else { return nil }
    let contents = try _CollectionContents(.chunkedKeys(keys), core, info)
    unsafe history.keep(
      ResultsHistory.Entry(moment: try core.revision(), contents: contents, state: state))
    return contents
  }
}
