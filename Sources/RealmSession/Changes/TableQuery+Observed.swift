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

  /// The state after `step`, and what happened. A step that touches no table of the query, nor any
  /// that links lead to, costs nothing.
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
  /// The error for who can only read: a query was evaluated when it was made, so one that fails
  /// later meets a file that has changed under it.
  var asStorageError: StorageError {
    switch self {
    case .storage(let error): error
    case .invalid(let text, _): .corrupted("a query that was valid is so no longer: \(text)")
    }
  }
}
