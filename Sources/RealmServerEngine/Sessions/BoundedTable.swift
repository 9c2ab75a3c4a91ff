// SPDX-License-Identifier: Apache-2.0

// A table whose size has a limit.
//
// Invariants:
// 1. A table has at most so many names, and a new name always finds room, that of the oldest one:
//    made-up names lock no other one out.
// 2. `insertions` has the newest insertion of each name, in their order. Those of names that were
//    inserted again or removed are void, and are dropped when they are as many as the limit.

/// Values by names; the oldest make room.
package struct BoundedTable<Value: Hashable & Sendable>: Hashable, Sendable {
  private struct Entry: Hashable, Sendable {
    var value: Value
    /// The number of the value's insertion.
    let insertion: UInt64
  }

  private struct Insertion: Hashable, Sendable {
    let name: String
    let number: UInt64
  }

  private let countMax: Int
  private var entries: [String: Entry] = [:]
  private var insertions: [Insertion] = []
  /// The insertions before it are void.
  private var oldest = 0
  private var insertionCount: UInt64 = 0

  package init(countMax: Int) {
    precondition(countMax > 0, "a table without room")
    self.countMax = countMax
  }

  /// The value of a name; nil if the table has none.
  package subscript(name: String) -> Value? { entries[name]?.value }

  /// Changes a value and keeps its age.
  package mutating func update(_ name: String, to value: Value) { entries[name]?.value = value }

  /// Stores a value as the youngest.
  package mutating func insert(_ name: String, _ value: Value) {
    if entries[name] == nil, entries.count == countMax { removeOldest() }
    insertionCount += 1
    entries[name] = Entry(value: value, insertion: insertionCount)
    insertions.append(Insertion(name: name, number: insertionCount))
    if insertions.count > 2 * countMax { dropVoidInsertions() }
    assert(entries.count <= countMax, "BoundedTable 1")
    assert(entries.count <= insertions.count - oldest, "BoundedTable 2")
  }

  /// Removes a value.
  package mutating func remove(_ name: String) { entries[name] = nil }

  private func isVoid(_ insertion: Insertion) -> Bool {
    entries[insertion.name]?.insertion != insertion.number
  }

  private mutating func removeOldest() {
    while oldest < insertions.count, isVoid(insertions[oldest]) { oldest += 1 }
    guard oldest < insertions.count else { return }
    entries[insertions[oldest].name] = nil
    oldest += 1
  }

  private mutating func dropVoidInsertions() {
    insertions = insertions[oldest...].filter { !isVoid($0) }
    oldest = 0
  }
}
