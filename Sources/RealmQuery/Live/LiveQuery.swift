// SPDX-License-Identifier: Apache-2.0

// A query whose result is kept current from the change log.
//
// Invariants:
// 1. A state holds the matching keys in the order of the query: by `order`, then ascending; without
//    an order ascending. So the place of an object in a state is found by halving.
// 2. Objects that no changeset names, and that reach none that a changeset names by the paths of
//    the query, match and sort as before. Only the others are looked at.
// 3. What comes behind the order (`rest`) goes through stages (`LiveStage`), which remember what
//    they need to tell what changed objects do to the result.

import RealmStorage
package import RealmTables

/// The objects of a table that match a predicate, in an order: what is observed, independent of any
/// version.
package struct LiveQuery: Hashable, Sendable {
  package var table: TableKey
  /// Nil selects all objects.
  package var predicate: Predicate?
  /// Nil is the order of the keys.
  package var order: SortOrder?
  /// What is done with the ordered objects, in this order.
  package var rest: [QueryStep]

  package init(
    table: TableKey, predicate: Predicate? = nil, order: SortOrder? = nil, rest: [QueryStep] = []
  ) {
    self.table = table
    self.predicate = predicate
    self.order = order
    self.rest = rest
  }

  /// Whether the objects are in the order of their keys.
  package var isInTableOrder: Bool { order == nil && rest.isEmpty }
}

/// What a query gave in one version.
package struct ResultState: Sendable, Equatable {
  /// What is remembered of a result.
  enum Content: Sendable, Equatable {
    /// All objects in the order of the keys; positions are read from the version itself.
    case all(count: Int)
    case keys(ChunkedKeys)
  }

  var content: Content
  /// What the stages behind the query's order remember: of each `distinct` and each window.
  var lists: [StageList] = []

  /// The number of elements.
  package var count: Int {
    switch content {
    case .all(let count): count
    case .keys(let keys): keys.count
    }
  }

  /// The keys of the elements; nil if they are simply all objects of the table.
  package var keys: ChunkedKeys? {
    if case .keys(let keys) = content { keys } else { nil }
  }
}

extension ResultState {
  /// A result of a query without further steps.
  package init(_ keys: ChunkedKeys) { content = .keys(keys) }
}

/// The way from one version to the next, as far as a query cares.
package struct ResultStep {
  let old: any TableSource
  let new: any TableSource
  let changes: VersionChanges
  /// The objects of the query's table that both versions have and that count as modified: directly,
  /// or by what they link to.
  let modified: Set<ObjectKey>

  package init(
    from old: any TableSource, to new: any TableSource, changes: VersionChanges,
    modified: Set<ObjectKey>
  ) {
    self.old = old
    self.new = new
    self.changes = changes
    self.modified = modified
  }
}

extension LiveQuery {
  /// The result of a first look.
  package func state(in source: any TableSource) throws(QueryError) -> ResultState {
    let table = try QueryError.widen { () throws(StorageError) in try source.queryTable(self.table)
    }
    guard let table else { return ResultState(content: .keys(ChunkedKeys())) }
    if !rest.isEmpty { return try stagedState(of: table, in: source) }
    if predicate == nil, order == nil {
      let count = try QueryError.widen { () throws(StorageError) in try table.objectCount() }
      return ResultState(content: .all(count: count))
    }
    return ResultState(content: .keys(ChunkedKeys(try keys(of: table, in: source))))
  }

  /// The result of a first look, with what the stages remember.
  private func stagedState(
    of table: Table, in source: any TableSource
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

  /// Checks that the query fits the schema.
  ///
  /// - Throws: `QueryError.invalid` with what does not.
  package func check(
    against table: Table, of source: any TableSource
  ) throws(QueryError) {
    func check(_ predicate: Predicate) throws(QueryError) {
      _ = try Selection(predicate, in: table, of: source, isScan: false)
    }
    if let predicate { try check(predicate) }
    _ = try order?.paths(from: table, in: source)
    for step in rest {
      switch step {
      case .filter(let predicate): try check(predicate)
      case .sort(let order), .distinct(let order): _ = try order.paths(from: table, in: source)
      case .limit, .offset: break
      }
    }
  }

  /// All matching keys in the order of the query.
  package func keys(of table: Table, in source: any TableSource) throws(QueryError) -> [ObjectKey] {
    if order == nil, case .distinct(let paths) = rest.first {
      let selection = try Selection(predicate ?? .constant(true), in: table, of: source)
      if let firsts = try paths.distinct(selection, in: source) {
        return try Array(rest.dropFirst()).applied(to: firsts, of: table, in: source)
      }
    }
    let base = try baseKeys(of: table, in: source, limit: rest.neededCount)
    return try rest.applied(to: base, of: table, in: source)
  }

  /// The keys before the last steps; those behind the first `limit` may be missing.
  private func baseKeys(
    of table: Table, in source: any TableSource, limit: Int = .max
  ) throws(QueryError) -> [ObjectKey] {
    let selection = try Selection(predicate ?? .constant(true), in: table, of: source)
    if let order {
      if let first = try order.first(limit, of: selection, in: source) { return first }
      if let keys = try order.sorted(selection, in: source) {
        return limit < keys.count ? Array(keys.prefix(limit)) : keys
      }
    }
    let keys = try QueryError.widen { () throws(StorageError) in
      try selection.keys(limit: order == nil ? limit : .max)
    }
    return try order?.sorted(keys, of: table, in: source, limit: limit) ?? keys
  }

  /// The state after a step, and what happened in between.
  ///
  /// - Complexity: follows the number of changed objects; a state that is a list of keys costs a
  ///   thousandth of its length besides.
  package func advance(
    _ state: ResultState, by step: ResultStep
  ) throws(QueryError) -> (ResultState, ResultChanges) {
    let tables = try QueryError.widen { () throws(StorageError) in
      (try step.old.queryTable(table), try step.new.queryTable(table))
    }
    guard let old = tables.0, let new = tables.1, !step.changes.schemaChanged else {
      return try restart(state, by: step)
    }
    if case .all(let count) = state.content {
      return try QueryError.widen { () throws(StorageError) in
        try WholeTable(old: old, new: new, step: step).advance(count)
      }
    }
    guard
      var advance = try LiveStep(
        self, by: step.changes, from: (old, step.old), to: (new, step.new)),
      let (newState, edit) = try advance.run(state)
    else { return try restart(state, by: step) }
    return (newState, try advance.changes(edit, modified: step.modified))
  }

  /// Runs the query anew and compares.
  private func restart(
    _ state: ResultState, by step: ResultStep
  ) throws(QueryError) -> (ResultState, ResultChanges) {
    let old = try keys(of: state, in: step.old)
    let newState = try self.state(in: step.new)
    let new = try keys(of: newState, in: step.new)
    let own = step.changes[table]
    let changes = ResultChanges(
      from: old, to: new, isModified: step.modified.contains,
      isReplaced: { own?.inserted.contains($0) ?? false })
    return (newState, changes)
  }

  private func keys(
    of state: ResultState, in source: any TableSource
  ) throws(QueryError) -> [ObjectKey] {
    if let keys = state.keys { return keys.array() }
    let table = try QueryError.widen { () throws(StorageError) in try source.queryTable(self.table)
    }
    return try table.map { (table) throws(QueryError) in try keys(of: table, in: source) } ?? []
  }
}
