// SPDX-License-Identifier: Apache-2.0

// A step of a live query that is kept as lists of keys, at a cost that follows the changed objects.
//
// Invariants:
// 1. What comes out of each stage is in an order that is known as sort paths and, last, keys: so
//    positions are found by binary search.
// 2. Objects that are not in `leaving` and were not inserted are in what a stage gets exactly if
//    they were before, and in the same order among each other.
// 3. `present` are those of `leaving` and of the inserted objects that the stage gets now.

import RealmStorage
import RealmTables

/// The changed objects on their way through the stages of a query.
struct LiveStep {
  /// The query's table in one version, and how the elements are ordered so far.
  private struct Side {
    let table: Table
    let source: any TableReader
    var paths: [SortPath] = []

    var order: RowOrder { RowOrder(paths, table) }

    mutating func sort(by order: SortOrder) throws(QueryError) {
      paths = try order.paths(from: table, in: source) + paths
    }
  }

  private let query: TableQuery
  private let own: TableChanges?
  /// Nil if the version before is not at hand.
  private var old: Side?
  private var new: Side
  /// The keys that may have to be taken out, ascending.
  private var leaving: [ObjectKey]
  private var present: [ObjectKey] = []
  /// Objects that did not change, but are concerned because others did.
  private var concerned: Set<ObjectKey> = []

  /// Nil if running the query is likely cheaper, or the changes do not say enough.
  init?(
    _ query: TableQuery, by changes: VersionChanges,
    from old: (table: Table, source: any TableReader)?,
    to new: (table: Table, source: any TableReader)
  ) throws(QueryError) {
    self.query = query
    self.old = old.map { Side(table: $0.table, source: $0.source) }
    self.new = Side(table: new.table, source: new.source)
    own = changes[query.table]
    let limit = try LiveStep.limit(query, new.table, isObserved: old != nil)
    let dependencies = try Dependencies(query, in: new.table, of: new.source)
    guard var touched = try dependencies.touched(by: changes, limit: limit) else { return nil }
    if let own, own.columns.contains(where: dependencies.columns.contains) {
      touched.formUnion(own.modifications.keys)
    }
    if let own, !own.inserted.isEmpty { touched = touched.filter { !own.inserted.contains($0) } }
    let deleted = own?.deleted.sorted() ?? []
    let inserted = own?.inserted.sorted() ?? []
    guard touched.count + deleted.count + inserted.count <= limit else { return nil }
    leaving = touched.isEmpty ? deleted : touched.union(deleted).sorted()
    try enter(inserted + touched)
  }

  /// The number of changed objects up to which following them pays.
  ///
  /// Each takes one or two microseconds where positions are found by keys, and five where they are
  /// found by values. A query takes a nanosecond for a row, twenty where it sorts, and a hundred
  /// where it sorts to group equal values or where its result is compared with the one before.
  private static func limit(
    _ query: TableQuery, _ table: Table, isObserved: Bool
  ) throws(QueryError) -> Int {
    let count = try QueryError.storing(table.objectCount())
    if isObserved || query.stages.contains(where: \.isDistinct) { return count / 64 + 64 }
    return (query.order == nil ? count / 1024 : count / 256) + 64
  }

  /// Whether nothing happened that concerns the query.
  var isEmpty: Bool { leaving.isEmpty && present.isEmpty }

  /// Finds out which changed objects match the query's predicate.
  private mutating func enter(_ candidates: [ObjectKey]) throws(QueryError) {
    if let order = query.order {
      try new.sort(by: order)
      try old?.sort(by: order)
    }
    present = candidates
    if let predicate = query.condition { try keepPresent(matching: predicate) }
  }

  private mutating func keepPresent(matching predicate: BoundPredicate) throws(QueryError) {
    if present.isEmpty { return }
    let selection = try Selection(predicate, in: new.table, of: new.source, isScan: false)
    var matching: [ObjectKey] = []
    for key in present where try QueryError.storing(selection.matches(key)) {
      matching.append(key)
    }
    present = matching
  }

  // MARK: - Running

  /// The state after the step, and what happened to the result; nil if a stage does not remember
  /// enough.
  mutating func run(_ state: ResultState) throws(QueryError) -> (ResultState, ListEdit)? {
    guard let elements = state.keys else { return nil }
    var lists = state.lists
    var number = 0
    for stage in query.stages {
      switch stage {
      case .filter(let predicate): try keepPresent(matching: predicate)
      case .sort(let order):
        try new.sort(by: order)
        try old?.sort(by: order)
      case .distinct(let order):
        try distinguish(by: order, in: &lists[number])
        number += 1
      case .window(let window):
        guard try cut(window, in: &lists[number]) else { return nil }
        number += 1
      }
    }
    assert(number == lists.count, "`TableQuery+Live` 3: the state is one of another query")
    if !concerned.isEmpty { try keepUnaffected(in: elements) }
    let edit = try self.edit(elements)
    return (ResultState(content: .keys(edit.result), lists: lists), edit)
  }

  private func edit(_ list: ChunkedKeys) throws(QueryError) -> ListEdit {
    try edit(list, from: old?.order, to: new.order)
  }

  private func edit(
    _ list: ChunkedKeys, from old: RowOrder?, to new: RowOrder
  ) throws(QueryError) -> ListEdit {
    assert(isPresentKnown, "`LiveStep` 3")
    return try QueryError.storing(
      ListEdit(list, leaving: leaving, arriving: present, from: old, to: new))
  }

  /// Whether `present` is as `LiveStep` 3 says, for assertions: asked of short steps alone.
  private var isPresentKnown: Bool {
    present.count + leaving.count > 64
      || present.allSatisfy { leaving.contains($0) || own?.inserted.contains($0) == true }
  }

  /// Goes on with what is present of the changed objects and with others that these concern.
  private mutating func goOn(
    with present: [ObjectKey], concerning others: [(key: ObjectKey, isPresent: Bool)]
  ) {
    self.present = present
    if others.isEmpty { return }
    for (key, isPresent) in others {
      concerned.insert(key)
      if isPresent { self.present.append(key) }
    }
    leaving = Set(leaving).union(others.lazy.map(\.key)).sorted()
  }

  // MARK: Stages

  /// Of elements with equal values the first stays. Equal ones stand side by side in the list, so
  /// what decides about an element is the one in front of it.
  private mutating func distinguish(
    by order: SortOrder, in list: inout StageList
  ) throws(QueryError) {
    let values = RowOrder(try order.paths(from: new.table, in: new.source), new.table)
    var (grouped, oldGrouped) = (new, old)
    try grouped.sort(by: order)
    try oldGrouped?.sort(by: order)
    let edit = try self.edit(list.keys, from: oldGrouped?.order, to: grouped.order)
    let result = edit.result
    let arrivalGaps = edit.arrivals.map(\.gap)
    // After the elements that went and came: possible changes of first ones.
    let ranks = Set(edit.removed.indices.map { edit.removed[$0] - $0 }).union(arrivalGaps)
    func isFirst(_ position: Int) throws(QueryError) -> Bool {
      if position == 0 { return true }
      return try !QueryError.storing(values.areLevel(result[position - 1], result[position]))
    }
    var firsts: [ObjectKey] = []
    for position in edit.arrivalPositions where try isFirst(position) {
      firsts.append(result[position])
    }
    var others: [(key: ObjectKey, isPresent: Bool)] = []
    for rank in ranks where rank < edit.kept.count {
      let position = rank + arrivalGaps.count(below: rank + 1)
      others.append((result[position], try isFirst(position)))
    }
    list.keys = result
    goOn(with: firsts, concerning: others)
  }

  /// The elements at some positions; false if more would have to be known.
  private mutating func cut(
    _ window: Range<Int>, in list: inout StageList
  ) throws(QueryError) -> Bool {
    var edit = try self.edit(list.keys)
    if !list.isComplete {
      edit.dropArrivalsAtTheEnd()
      if edit.count < window.upperBound { return false }
    }
    let positions = edit.arrivalPositions
    let before = window.clamped(to: 0..<edit.list.count)
    let after = window.clamped(to: 0..<edit.count)
    // The remaining elements in the window before, and those in it now.
    func kept(_ range: Range<Int>, besides others: [Int]) -> Range<Int> {
      range.lowerBound - others.count(below: range.lowerBound)..<range.upperBound
        - others.count(below: range.upperBound)
    }
    let was = kept(before, besides: edit.removed)
    let isNow = kept(after, besides: positions)
    var others: [(key: ObjectKey, isPresent: Bool)] = []
    for rank in was.outside(isNow) { others.append((edit.kept[rank], false)) }
    for rank in isNow.outside(was) { others.append((edit.kept[rank], true)) }
    var inside: [ObjectKey] = []
    for (index, position) in positions.enumerated() where after.contains(position) {
      inside.append(edit.arrivals[index].key)
    }
    list.keys = edit.result
    let enough = LiveStage.rememberedCount(for: window)
    if list.keys.count / 2 > enough {
      list = StageList(keys: ChunkedKeys(list.keys.first(enough)), isComplete: false)
    }
    goOn(with: inside, concerning: others)
    return true
  }

  // MARK: - What happened

  /// Does not take out what was in the result, did not change, and stays.
  private mutating func keepUnaffected(in elements: ChunkedKeys) throws(QueryError) {
    guard let order = old?.order else { return }
    var staying: Set<ObjectKey> = []
    for key in concerned.intersection(present)
    where try QueryError.storing(order.index(of: key, in: elements)) != nil {
      staying.insert(key)
    }
    if staying.isEmpty { return }
    leaving.removeAll(where: staying.contains)
    present.removeAll(where: staying.contains)
  }

  /// The changes of the result, for a callback; the version before is at hand.
  ///
  /// A changed object that comes to stand between the same unchanged neighbours has not moved.
  func changes(_ edit: ListEdit, modified: Set<ObjectKey>) throws(QueryError) -> ResultChanges {
    var changes = ResultChanges()
    var oldIndexes: [ObjectKey: Int] = [:]
    for index in edit.removed {
      let key = edit.list[index]
      // The key of a new object may be that of one that is gone.
      if own?.inserted.contains(key) != true { oldIndexes[key] = index }
    }
    var numbers = edit.arrivals.map { gap, key -> Int in
      guard let index = oldIndexes[key] else { return -1 }
      return index - edit.removed.count(below: index) == gap ? index : -1
    }
    IncreasingRun.keepLongest(&numbers)
    var staying: Set<ObjectKey> = []
    for (position, arrival) in edit.arrivals.enumerated() {
      if numbers[position] >= 0 {
        staying.insert(arrival.key)
      } else {
        changes.insertions.append(arrival.gap + position)
      }
    }
    for index in edit.removed {
      let key = edit.list[index]
      if !staying.contains(key) {
        changes.deletions.append(index)
      } else if modified.contains(key) {
        changes.modifications.append(index)
        if let order = old?.order, !order.isByKey,
          try !QueryError.storing(new.order.hasEqualValues(key, in: order))
        {
          changes.reordered.append(index)
        }
      }
    }
    // Objects whose changes do not concern the query.
    let others = modified.subtracting(leaving)
    if !others.isEmpty, let order = old?.order {
      for key in others {
        if let index = try QueryError.storing(order.index(of: key, in: edit.list)) {
          changes.modifications.append(index)
        }
      }
      changes.modifications.sort()
    }
    assert(changes.isWhole(from: edit.list.count, to: edit.count), "`ResultChanges` 1, 2")
    return changes
  }
}

extension Range<Int> {
  /// The numbers that are in this range and not in another.
  fileprivate func outside(_ other: Range<Int>) -> [Int] {
    if other.isEmpty { return Array(self) }
    return Array(clamped(to: .min..<other.lowerBound)) + clamped(to: other.upperBound ..< .max)
  }
}
