// SPDX-License-Identifier: Apache-2.0

// A step of a result that is a list of keys, at a cost that follows the changed objects.
//
// Objects that did not change are still in the list and keep their order among each other. The
// changed ones are taken out and put in where they belong now. One that comes to stand between the
// same unchanged neighbours has not moved.

import RealmStorage
import RealmTables

/// The changed objects of a step, and where they were and are.
struct KeyedResult {
  /// An object of the new state that changed.
  private struct Arrival {
    let key: ObjectKey
    /// How many of the unchanged objects stand before it.
    var gap: Int
    /// Its index in the old state if it was there as the same object.
    var oldIndex: Int?
  }

  private let old: Table
  private let new: Table
  private let own: TableChanges?
  /// Objects that both versions have and that may match or sort otherwise than before.
  private let touched: Set<ObjectKey>
  private let modified: Set<ObjectKey>
  private let selection: Selection
  private let oldOrder: RowOrder
  private let newOrder: RowOrder

  /// - Parameter linked: Objects that may match or sort otherwise because of what they link to.
  init(
    _ query: LiveQuery, old: Table, new: Table, step: ResultStep, linked: Set<ObjectKey>
  ) throws(QueryError) {
    self.old = old
    self.new = new
    let own = step.changes[new.key]
    self.own = own
    var touched = linked
    if let own {
      if !own.inserted.isEmpty { touched = touched.filter { !own.inserted.contains($0) } }
      touched.formUnion(own.modifications.keys)
    }
    self.touched = touched
    modified = step.modified
    selection = try Selection(
      query.predicate ?? .constant(true), in: new, of: step.new, isScan: false)
    oldOrder = RowOrder(try query.order?.paths(from: old, in: step.old) ?? [], old)
    newOrder = RowOrder(try query.order?.paths(from: new, in: step.new) ?? [], new)
  }

  private var changedCount: Int {
    touched.count + (own?.inserted.count ?? 0) + (own?.deleted.count ?? 0)
  }

  /// Whether looking at the changed objects is likely cheaper than running the query.
  func isWorthwhile(for count: Int) -> Bool { changedCount <= 64 || changedCount <= count / 8 }

  mutating func run(_ keys: ChunkedKeys) throws(StorageError) -> (ResultState, ResultChanges) {
    var changes = ResultChanges()
    // Objects that went, that were modified: their old places.
    var removed: [(index: Int, key: ObjectKey)] = []
    for key in own?.deleted.sorted() ?? [] {
      if let index = try oldOrder.index(of: key, in: keys) { removed.append((index, key)) }
    }
    for key in touched {
      if let index = try oldOrder.index(of: key, in: keys) { removed.append((index, key)) }
    }
    removed.sort { $0.index < $1.index }
    var oldIndexes: [ObjectKey: Int] = [:]
    for (index, key) in removed where own?.deleted.contains(key) != true {
      oldIndexes[key] = index
    }

    let kept = KeptKeys(keys, removed: removed.map(\.index))
    var arrivals: [Arrival] = []
    for key in own?.inserted.sorted() ?? [] where try selection.matches(key) {
      arrivals.append(Arrival(key: key, gap: 0, oldIndex: nil))
    }
    for key in touched where try selection.matches(key) {
      arrivals.append(Arrival(key: key, gap: 0, oldIndex: oldIndexes[key]))
    }
    try place(&arrivals, kept)
    let stays = KeyedResult.staying(arrivals, removed: removed.map(\.index))

    var staying: Set<ObjectKey> = []
    for (position, arrival) in arrivals.enumerated() {
      if stays[position] {
        staying.insert(arrival.key)
      } else {
        changes.insertions.append(arrival.gap + position)
      }
    }
    for (index, key) in removed {
      if !staying.contains(key) || own?.deleted.contains(key) == true {
        changes.deletions.append(index)
      } else if modified.contains(key) {
        changes.modifications.append(index)
      }
    }
    try addLinked(to: &changes, keys)
    let result = keys.replacing(
      removed: removed.map(\.index), with: arrivals.map { ($0.gap, $0.key) })
    return (ResultState(content: .keys(result)), changes)
  }

  /// Finds where each arrival belongs, and sorts them.
  private func place(_ arrivals: inout [Arrival], _ kept: KeptKeys) throws(StorageError) {
    guard !arrivals.isEmpty else { return }
    let sorted = try newOrder.sorted(arrivals.map(\.key))
    let byKey = Dictionary(uniqueKeysWithValues: arrivals.map { ($0.key, $0) })
    arrivals = sorted.compactMap { byKey[$0] }
    for index in arrivals.indices {
      arrivals[index].gap = try newOrder.gap(of: arrivals[index].key, in: kept)
    }
  }

  /// Which arrivals stand where they stood: between the same unchanged neighbours, and in the same
  /// order among themselves.
  private static func staying(_ arrivals: [Arrival], removed: [Int]) -> [Bool] {
    var numbers = arrivals.map { arrival -> Int in
      guard let oldIndex = arrival.oldIndex else { return -1 }
      var low = 0
      var high = removed.count
      while low < high {
        let middle = (low + high) / 2
        if removed[middle] < oldIndex { low = middle + 1 } else { high = middle }
      }
      return oldIndex - low == arrival.gap ? oldIndex : -1
    }
    IncreasingRun.keepLongest(&numbers)
    return numbers.map { $0 >= 0 }
  }

  /// Objects that count as modified only by what they link to.
  private func addLinked(
    to changes: inout ResultChanges, _ keys: ChunkedKeys
  ) throws(StorageError) {
    var indexes: [Int] = []
    for key in modified where !touched.contains(key) {
      if let index = try oldOrder.index(of: key, in: keys) { indexes.append(index) }
    }
    guard !indexes.isEmpty else { return }
    changes.modifications = (changes.modifications + indexes).sorted()
  }
}
