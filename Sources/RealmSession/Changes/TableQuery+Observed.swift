// SPDX-License-Identifier: Apache-2.0

// Observed results: a query's result, with the objects that observers count as modified.

import RealmQuery
import RealmStorage
import RealmTables

extension TableQuery {
  /// The state of the first evaluation.
  func observedState(in tables: TableGroup) throws(StorageError) -> ResultState {
    do throws(QueryError) { return try state(in: tables) } catch { throw error.asStorageError }
  }

  /// The state after `step`, and its changes. A step without a change in the query's tables, or in
  /// linked ones, costs nothing.
  func observedAdvance(
    _ state: ResultState, by step: VersionStep, filter: KeyPathFilter?
  ) throws(StorageError) -> (ResultState, ResultChanges) {
    if try step.isUnaffected(table) { return (state, ResultChanges()) }
    let modified = try step.modified(in: table, filter: filter)
    do throws(QueryError) {
      return try advance(
        state,
        by: ResultStep(
          from: step.old, to: step.new, changes: step.changes, modified: modified))
    } catch { throw error.asStorageError }
  }
}

extension QueryError {
  /// The error for a reader: a query was evaluated when it was made, so a later failure means a
  /// damaged file.
  var asStorageError: StorageError {
    switch self {
    case .storage(let error): error
    case .invalid(let text, _): .corrupted("a query that was valid is so no longer: \(text)")
    }
  }
}
