// SPDX-License-Identifier: Apache-2.0

// The changes of the objects of one table between two versions.

/// The objects of one table that came, went and changed between two versions.
///
/// Invariants:
/// 1. A key in both `inserted` and `deleted` names two objects: the one that the older version had
///    went, and another came under its key.
/// 2. Only objects that both versions have appear in `modifications` and `collections`.
package struct TableChanges: Sendable, Equatable {
  /// An object's collection.
  package struct CollectionPlace: Hashable, Sendable {
    package let object: ObjectKey
    package let column: ColumnKey
    /// The salts on the way to a nested collection from that of the column, or from the collection
    /// in a mixed property.
    package internal(set) var salts: [Int64]

    package init(object: ObjectKey, column: ColumnKey, salts: [Int64] = []) {
      self.object = object
      self.column = column
      self.salts = salts
    }
  }

  package let table: TableKey
  /// Objects that only the newer version has.
  package fileprivate(set) var inserted = ObjectKeySet()
  /// Objects that only the older version has.
  package fileprivate(set) var deleted = ObjectKeySet()
  /// The columns that changed, in the order in which they first did; `modifications` counts them.
  package private(set) var columns: [ColumnKey] = []
  /// The changed objects, each with the changed columns as positions in `columns`.
  package private(set) var modifications: [ObjectKey: ColumnPositions] = [:]
  /// The edits of lists (and sets and dictionaries) of changed objects, in order.
  package private(set) var collections: [CollectionPlace: CollectionChanges] = [:]

  /// The answer of the last `position(of:)`: runs of instructions tend to be about one column.
  private var lastColumn: (column: ColumnKey, position: Int)?
  /// Whether `collections` has nested ones.
  private var hasNested = false
  /// Where each column stands in `columns`.
  private var positions: [ColumnKey: Int] = [:]

  package init(table: TableKey) { self.table = table }

  package var isEmpty: Bool { inserted.isEmpty && deleted.isEmpty && modifications.isEmpty }

  /// Whether a column of an object that both versions have was assigned or edited.
  package func isModified(_ object: ObjectKey, _ column: ColumnKey) -> Bool {
    guard let changed = modifications[object], let position = positions[column] else {
      return false
    }
    return changed.contains(position)
  }

  /// The changed columns of an object that both versions have, in the order of `columns`.
  package func modifiedColumns(of object: ObjectKey) -> [ColumnKey] {
    guard let changed = modifications[object] else { return [] }
    return columns.indices.lazy.filter(changed.contains).map { columns[$0] }
  }

  package static func == (left: TableChanges, right: TableChanges) -> Bool {
    left.table == right.table && left.inserted == right.inserted && left.deleted == right.deleted
      && left.collections == right.collections
      && left.modifications.count == right.modifications.count
      && left.modifications.keys.allSatisfy {
        Set(left.modifiedColumns(of: $0)) == Set(right.modifiedColumns(of: $0))
      }
  }
}

// MARK: - Folding

extension TableChanges {
  mutating func noteCreated(_ object: ObjectKey) {
    inserted.insert(object)
  }

  mutating func noteRemoved(_ object: ObjectKey) {
    if inserted.remove(object) { return }
    deleted.insert(object)
    guard let changed = modifications.removeValue(forKey: object) else { return }
    if hasNested { collections = collections.filter { $0.key.object != object } }
    for (position, column) in columns.enumerated() where changed.contains(position) {
      collections[CollectionPlace(object: object, column: column)] = nil
    }
  }

  mutating func noteSet(_ column: ColumnKey, of object: ObjectKey) {
    guard !inserted.contains(object) else { return }
    modifications[object, default: ColumnPositions()].insert(position(of: column))
  }

  /// A collection was edited; nil if the log does not say by which step.
  mutating func noteEdit(_ edit: CollectionEdit?, in place: CollectionPlace) {
    guard !inserted.contains(place.object) else { return }
    noteSet(place.column, of: place.object)
    collections[place, default: CollectionChanges()].append(edit)
    guard !place.salts.isEmpty else { return }
    hasNested = true
    var outer = place
    while let salt = outer.salts.popLast() {
      collections[outer, default: CollectionChanges()].noteNested(salt)
    }
  }

  private mutating func position(of column: ColumnKey) -> Int {
    if let lastColumn, lastColumn.column == column { return lastColumn.position }
    let position = positions[column] ?? columns.count
    if position == columns.count {
      columns.append(column)
      positions[column] = position
    }
    lastColumn = (column, position)
    return position
  }
}

// MARK: - Parts

/// A set of small numbers, without an allocation while they are below 64.
package struct ColumnPositions: Sendable, Hashable {
  private var low: UInt64 = 0
  private var high: [UInt64] = []

  package init() {}

  package mutating func insert(_ position: Int) {
    assert(position >= 0, "columns are counted from 0")
    if position < 64 {
      low |= 1 << UInt64(position)
      return
    }
    let word = position / 64 - 1
    while high.count <= word { high.append(0) }
    high[word] |= 1 << UInt64(position % 64)
  }

  /// Whether the position is in the set.
  package func contains(_ position: Int) -> Bool {
    if position < 64 { return low >> UInt64(position) & 1 == 1 }
    let word = position / 64 - 1
    return word < high.count && high[word] >> UInt64(position % 64) & 1 == 1
  }
}

/// One step that leads from the older to the newer state of a collection; indexes are those of the
/// collection when the step is taken.
package enum CollectionEdit: Hashable, Sendable {
  case insert(at: Int, count: Int)
  case erase(at: Int, count: Int)
  case set(at: Int)
  case move(from: Int, to: Int)
  case clear(oldCount: Int)
}

/// The changes of one collection.
package struct CollectionChanges: Hashable, Sendable {
  /// The steps in order; meaningless when `isUnspecified`.
  package private(set) var edits: [CollectionEdit] = []
  /// Whether something changed that steps do not record, being logged by an older release.
  package private(set) var isUnspecified = false
  /// The salts of the elements in which a nested collection changed; some may be gone.
  package private(set) var nested: Set<Int64> = []

  package init() {}

  /// Adds a step, joining it with the last where both are one run; nil is a change without steps.
  mutating func append(_ edit: CollectionEdit?) {
    guard let edit else {
      isUnspecified = true
      return
    }
    switch (edits.last, edit) {
    case (.insert(let start, let count), .insert(let index, let more)) where index == start + count:
      edits[edits.count - 1] = .insert(at: start, count: count + more)
    case (.erase(let start, let count), .erase(let index, let more)) where index == start:
      edits[edits.count - 1] = .erase(at: start, count: count + more)
    case (.set(let last), .set(let index)) where index == last: break
    case (_, .clear):
      // Nothing before a clear matters, but how many elements there were at first does.
      edits = [.clear(oldCount: initialCount(beforeClear: edit))]
    default: edits.append(edit)
    }
  }

  mutating func noteNested(_ salt: Int64) { nested.insert(salt) }

  /// The number of elements that the older version had, from the size that a clear found.
  private func initialCount(beforeClear clear: CollectionEdit) -> Int {
    guard case .clear(var count) = clear else { return 0 }
    for edit in edits.reversed() {
      switch edit {
      case .insert(_, let more): count -= more
      case .erase(_, let fewer): count += fewer
      case .clear(let oldCount): return oldCount
      case .set, .move: break
      }
    }
    return max(count, 0)
  }
}
