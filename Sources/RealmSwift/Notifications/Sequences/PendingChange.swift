// SPDX-License-Identifier: Apache-2.0

// The pending change of a sequence's reader: everything since it last read, as one change.

import RealmQuery
import RealmSession
import RealmTables

/// The changes that were not read yet, joined.
struct PendingChange {
  /// The joined change; nil if there is none.
  private var change: ObservedChange?
  /// The values of properties before the first of the joined changes; nil where they are not known.
  private var valuesBefore: [ColumnKey: Any?] = [:]
  /// Whether nothing follows.
  private(set) var isLast = false

  var isEmpty: Bool { change == nil }

  mutating func add(_ next: ObservedChange, _ before: [Any?]?) {
    if next.isLast { isLast = true }
    if case .object(let columns) = next {
      assert(before.map { $0.count == columns.count } ?? true, "each column has its former value")
      for (position, column) in columns.enumerated() where valuesBefore[column] == nil {
        valuesBefore[column] = .some(before?[position])
      }
    }
    change = change.map { PendingChange.join($0, next) } ?? next
  }

  /// Marks the pending change as the last one.
  mutating func end() { isLast = true }

  /// Removes and returns the change, and for objects the values before it.
  mutating func take() -> (change: ObservedChange, valuesBefore: [Any?])? {
    guard let taken = change else { return nil }
    change = nil
    var values: [Any?] = []
    if case .object(let columns) = taken { values = columns.map { valuesBefore[$0] ?? nil } }
    valuesBefore = [:]
    return (taken, values)
  }

  private static func join(_ first: ObservedChange, _ next: ObservedChange) -> ObservedChange? {
    switch (first, next) {
    case (.initial, .collection): .initial
    // A reader that never saw the collection has nothing to delete from.
    case (.initial, .collectionDeleted): nil
    case (.collection(let first), .collection(let next)): .collection(first.followed(by: next))
    case (.collection(let first), .collectionDeleted(let next)):
      .collectionDeleted(first.followed(by: next))
    case (.object(let first), .object(let next)):
      .object(first + next.filter { !first.contains($0) })
    default: next
    }
  }
}
