// SPDX-License-Identifier: Apache-2.0

// The paths of embedded objects for other devices: top-level object, property, and steps.
//
// Invariants:
// 1. Each level is embedded in the one before, the first in the base object; its steps are the
//    positions and keys of the present path.
// 2. A level is forgotten when a list of embedded objects above it shifts.

import RealmStorage
import RealmSyncProtocol
import RealmTables

/// Climbs from embedded objects to their top-level objects.
///
/// The last path is kept, with those of all objects on it, so that the writes of one object cost
/// one climb.
struct PathFinder {
  /// An embedded object on the path, and the number of steps before it.
  private struct Level {
    let table: TableKey
    let object: ObjectKey
    let stepCount: Int
  }

  /// A link from an object to its embedded one.
  private struct Owner {
    let table: WritableTable
    let object: ObjectKey
    let column: Column
    let target: ObjectKey
    let targetTable: TableKey
  }

  /// The top-level object and its property; nil as long as nothing was found.
  private(set) var base: InstructionPath?
  private var baseTable = TableKey.null
  private var baseObject = ObjectKey.null
  /// The steps below the base property to the last level.
  private(set) var steps: [PathElement] = []
  private var levels: [Level] = []
  /// The position of an object in a list: the next one may follow.
  private var lastIndex = 0

  mutating func removeAll() {
    base = nil
    steps.removeAll(keepingCapacity: true)
    levels.removeAll(keepingCapacity: true)
  }

  // MARK: Finding

  /// Finds an embedded object. `base` and the first steps lead to it then.
  ///
  /// - Returns: The number of steps; nil if nothing links to the object yet, or no class holds it.
  mutating func find(
    _ object: ObjectKey, in table: WritableTable, _ builder: inout ChangesetBuilder
  ) throws(StorageError) -> Int? {
    if let level = levels.last(where: { $0.object == object && $0.table == table.key }) {
      return level.stepCount
    }
    var climbed: [Owner] = []
    var (table, object) = (table, object)
    while true {
      guard let owner = try Self.owner(of: object, in: table) else { return nil }
      climbed.append(owner)
      (table, object) = (owner.table, owner.object)
      guard climbed.count <= PathLimit.stepCountMax else {
        throw .limitExceeded("Too many objects are embedded in each other")
      }
      if table.schema.kind != .embedded { break }
      if let known = levels.lastIndex(where: { $0.object == object && $0.table == table.key }) {
        forget(from: known + 1)
        break
      }
    }
    if table.schema.kind != .embedded {
      guard let last = climbed.last, try begin(at: last, &builder) else { return nil }
    }
    for (index, owner) in climbed.enumerated().reversed() {
      try add(owner, isBase: index == climbed.count - 1, &builder)
    }
    return steps.count
  }

  /// Begins a path at a top-level object; false if it is of no class.
  private mutating func begin(
    at owner: Owner, _ builder: inout ChangesetBuilder
  ) throws(StorageError) -> Bool {
    removeAll()
    let table = owner.table
    guard builder.role(table.key, table.schema) != .ignored else { return false }
    let name = builder.name(table.key, table.schema)
    guard let key = try builder.primaryKey(of: owner.object, in: table.key, table.group) else {
      return false
    }
    base = InstructionPath(
      table: name, key: key, field: builder.name(owner.column, table.key, table.schema))
    (baseTable, baseObject) = (table.key, owner.object)
    return true
  }

  /// Adds the steps from an object to an embedded one.
  private mutating func add(
    _ owner: Owner, isBase: Bool, _ builder: inout ChangesetBuilder
  ) throws(StorageError) {
    let table = owner.table
    if table.schema.kind == .embedded {
      steps.append(.key(builder.name(owner.column, table.key, table.schema)))
    } else {
      assert(isBase && levels.isEmpty, "PathFinder 1: a top-level object is inside of another")
    }
    if let step = try position(of: owner, &builder) { steps.append(step) }
    levels.append(
      Level(table: owner.targetTable, object: owner.target, stepCount: steps.count))
  }

  /// The parent of an embedded object; nil if it has none yet.
  private static func owner(
    of object: ObjectKey, in table: WritableTable
  ) throws(StorageError) -> Owner? {
    guard let row = try table.row(of: object) else { return nil }
    for backlink in table.schema.backlinkColumns {
      guard let key = try row.backlinks(of: backlink).first, let origin = backlink.targetTable,
        let owner = try table.group.table(origin),
        let column = owner.schema.column(backlink.oppositeColumn ?? .null)
      else { continue }
      return Owner(
        table: owner, object: key, column: column, target: object, targetTable: table.key)
    }
    return nil
  }

  /// The position or key of a held object in a collection; nil if a single property holds it.
  private mutating func position(
    of owner: Owner, _ builder: inout ChangesetBuilder
  ) throws(StorageError) -> PathElement? {
    guard owner.column.collection != .none else { return nil }
    guard let row = try owner.table.row(of: owner.object) else {
      throw .corrupted("a backlink of table '\(owner.table.schema.name)' leads nowhere")
    }
    if owner.column.collection == .dictionary {
      let map = try row.dictionary(owner.column)
      for index in 0..<map.count
      where try map.value(at: index, of: owner.column) == .link(owner.target) {
        return .key(builder.encoder.intern(try map.key(at: index)))
      }
    } else {
      // Links to embedded objects never lead to tombstones: positions are the stored ones.
      let list = try row.list(owner.column)
      for index in [lastIndex, lastIndex + 1] where index < list.count {
        if try list.key(at: index) == owner.target { return found(at: index) }
      }
      for index in 0..<list.count where try list.key(at: index) == owner.target {
        return found(at: index)
      }
    }
    throw .corrupted("table '\(owner.table.schema.name)' has a backlink without a link")
  }

  private mutating func found(at index: Int) -> PathElement {
    lastIndex = index
    return .index(UInt32(truncatingIfNeeded: index))
  }

  // MARK: Keeping up

  /// Notes the shift or loss of embedded objects in an object's list.
  mutating func noteShift(of object: ObjectKey, in table: TableKey) {
    if table == baseTable, object == baseObject { return forget(from: 0) }
    if let owner = levels.lastIndex(where: { $0.object == object && $0.table == table }) {
      forget(from: owner + 1)
    }
  }

  /// Notes an insertion into a list, so that the object need not be searched for.
  mutating func noteInsertion(at index: Int) { lastIndex = index }

  private mutating func forget(from level: Int) {
    guard level < levels.count else { return }
    if level == 0 {
      base = nil
      baseTable = .null
      baseObject = .null
    }
    steps.removeLast(steps.count - (level == 0 ? 0 : levels[level - 1].stepCount))
    levels.removeLast(levels.count - level)
  }
}
