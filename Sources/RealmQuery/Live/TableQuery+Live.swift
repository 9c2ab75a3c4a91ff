// SPDX-License-Identifier: Apache-2.0

// A query whose result is kept current from the change log.
//
// Invariants:
// 1. A state holds the matching keys in the order of the query: by `order`, then ascending; without
//    an order ascending. So the position of an object in a state is found by binary search.
// 2. Objects that no changeset names, and that reach none that a changeset names by the paths of
//    the query, match and sort as before. Only the others are evaluated.
// 3. The steps after the order go through stages (`LiveStage`), which remember what they need to
//    find out how changed objects concern the result.

import RealmStorage
package import RealmTables

extension TableQuery {
  /// The first result.
  package func state(in source: any TableReader) throws(QueryError) -> ResultState {
    let table = try source.table(self.table)
    guard let table else { return ResultState(content: .keys(ChunkedKeys())) }
    if !steps.isEmpty { return try stagedState(of: table, in: source) }
    if condition == nil, order == nil {
      let count = try QueryError.storing(table.objectCount())
      return ResultState(content: .all(count: count))
    }
    return ResultState(content: .keys(ChunkedKeys(try keys(of: table, in: source))))
  }

  /// The first result, with what the stages remember.
  private func stagedState(
    of table: Table, in source: any TableReader
  ) throws(QueryError) -> ResultState {
    let limit = rememberedCount
    var keys = try baseKeys(of: table, in: source, limit: limit)
    var isComplete = keys.count < limit
    var lists: [StageList] = []
    for stage in stages {
      switch stage {
      case .filter(let predicate):
        keys = try QueryStep.filter(predicate).applied(to: keys, of: table, in: source)
      case .sort(let order): keys = try order.sorted(keys, of: table, in: source)
      case .distinct(let order):
        let groups = try order.grouped(keys, of: table, in: source)
        lists.append(StageList(keys: ChunkedKeys(groups.keys)))
        keys = groups.firsts
      case .window(let window):
        lists.append(StageList(keys: ChunkedKeys(keys), isComplete: isComplete))
        keys = Array(keys[window.clamped(to: 0..<keys.count)])
        isComplete = true
      }
    }
    return ResultState(content: .keys(ChunkedKeys(keys)), lists: lists)
  }

  /// The state after a step, and the changes in between.
  ///
  /// - Complexity: follows the number of changed objects; a state that is a list of keys costs a
  ///   thousandth of its length besides.
  package func advance(
    _ state: ResultState, by step: ResultStep
  ) throws(QueryError) -> (ResultState, ResultChanges) {
    guard let old = try step.old.table(table), let new = try step.new.table(table),
      !step.changes.schemaChanged
    else { return try restart(state, by: step) }
    if case .all(let count) = state.content {
      return try QueryError.storing(WholeTable(old: old, new: new, step: step).advance(count))
    }
    guard
      var advance = try LiveStep(
        self, by: step.changes, from: (old, step.old), to: (new, step.new)),
      let (newState, edit) = try advance.run(state)
    else { return try restart(state, by: step) }
    return (newState, try advance.changes(edit, modified: step.modified))
  }

  /// Runs the query again and compares.
  private func restart(
    _ state: ResultState, by step: ResultStep
  ) throws(QueryError) -> (ResultState, ResultChanges) {
    let old = try keys(of: state, in: step.old)
    let newState = try self.state(in: step.new)
    let new = try keys(of: newState, in: step.new)
    let own = step.changes[table]
    var changes = ResultChanges(
      from: old, to: new, isModified: step.modified.contains,
      isReplaced: { own?.inserted.contains($0) ?? false })
    try findReordered(&changes, of: old, from: step.old, to: step.new)
    return (newState, changes)
  }

  /// Finds out which of the modified elements have other values of the order than before.
  ///
  /// - Parameter keys: The elements before.
  package func findReordered(
    _ changes: inout ResultChanges, of keys: [ObjectKey], from old: any TableReader,
    to new: any TableReader
  ) throws(QueryError) {
    assert(changes.reordered.isEmpty, "`ResultChanges` 3: what is reordered is found out once")
    let orders = [order] + stages.map { if case .sort(let order) = $0 { order } else { nil } }
    guard !changes.modifications.isEmpty, orders.contains(where: { $0 != nil }),
      let oldTable = try old.table(table), let newTable = try new.table(table)
    else { return }
    var (oldPaths, newPaths): ([SortPath], [SortPath]) = ([], [])
    for case .some(let order) in orders {
      oldPaths = try order.paths(from: oldTable, in: old) + oldPaths
      newPaths = try order.paths(from: newTable, in: new) + newPaths
    }
    guard oldPaths.count == newPaths.count else { return }
    let (oldOrder, newOrder) = (RowOrder(oldPaths, oldTable), RowOrder(newPaths, newTable))
    for index in changes.modifications
    where try !QueryError.storing(newOrder.hasEqualValues(keys[index], in: oldOrder)) {
      changes.reordered.append(index)
    }
  }

  private func keys(
    of state: ResultState, in source: any TableReader
  ) throws(QueryError) -> [ObjectKey] {
    if let keys = state.keys { return keys.array() }
    guard let table = try source.table(self.table) else { return [] }
    return try keys(of: table, in: source)
  }
}
