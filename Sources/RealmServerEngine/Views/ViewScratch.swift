// SPDX-License-Identifier: Apache-2.0

// A table for earlier states of objects, so queries about the past are run by the same code as
// those about the present, and what is kept for the next client: bound conditions, what was missed
// at a cursor, and the rounds that were computed (P4 B.4).
//
// Invariants:
// 1. A round is kept for clients without versions of their own in it and without unconfirmed
//    changes: it is the same for all of them but for their client versions.
// 2. The kept rounds take no more bytes than the limit.
// 3. What is kept of missed changes takes no more bytes than its limit, about.
// 4. What no client has used between two calls of `forgetUnused` is forgotten: memory that a burst
//    of changes or of conditions took does not stay.
// 5. A question about the past has a database of its own: the realm does not wait for that of a
//    search.

package import RealmStorage
import RealmSyncProtocol
import RealmTables
import Synchronization

/// Databases in memory whose transactions are never committed, as many as there are questions at a
/// time.
package final class ViewScratch: Sendable {
  private static let count = Atomic(0)

  /// The databases without a question.
  private let files = Locked<[DatabaseFile]>([])
  /// The last computed rounds.
  let rounds = Locked(RoundCache())
  let views = Locked(ViewCache())
  let missed = Locked(MissedCache())

  package init() throws(StorageError) {
    let file = try Self.open()
    files.withLock { $0.append(file) }
  }

  /// Forgets what no client has used since the last call.
  package func forgetUnused() {
    rounds.withLock { $0.forgetUnused() }
    views.withLock { $0.forgetUnused() }
    missed.withLock { $0.forgetUnused() }
  }

  private static func open() throws(StorageError) -> DatabaseFile {
    let number = count.add(1, ordering: .relaxed).newValue
    return try DatabaseFile.open(
      path: "/views-\(number).realm", options: OpenOptions(isInMemory: true))
  }

  /// Asks in a database of its own (`ViewScratch` 5).
  func withDatabase<R>(
    _ body: (DatabaseFile) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    let file: DatabaseFile
    if let free = files.withLock({ $0.popLast() }) { file = free } else { file = try Self.open() }
    defer { files.withLock { $0.append(file) } }
    return try body(file)
  }

  /// The positions of the values selected by a view.
  ///
  /// - Parameters:
  ///   - values: The properties of objects, by their names.
  ///   - schema: The class in its present form.
  ///   - points: The properties with positions.
  func selected(
    of values: [[String: TableValue]], ofClass name: String, _ schema: TableSchema,
    points: Set<String>,
    by view: View
  ) throws(StorageError) -> Set<Int> {
    guard !values.isEmpty, !view.isEmpty(ofClass: name) else { return [] }
    return try withDatabase { (file) throws(StorageError) in
      let group = try WriteGroup(file.beginWrite())
      defer { group.rollback() }
      return try Self.selected(
        of: values, ofClass: name, schema, points: points, by: view, in: group)
    }
  }

  private static func selected(
    of values: [[String: TableValue]], ofClass name: String, _ schema: TableSchema,
    points: Set<String>, by view: View, in group: WriteGroup
  ) throws(StorageError) -> Set<Int> {
    var positions: [ObjectKey: Int] = [:]
    var keys: [ObjectKey] = []
    let table = try group.createTable(named: "class_" + name)
    for column in schema.columns where column.isQueryable {
      try table.addColumn(
        named: column.name, type: column.type, collection: column.collection,
        isNullable: column.isNullable)
    }
    let places = try Self.addPoints(points, to: table, ofClass: name, in: group)
    for (position, properties) in values.enumerated() {
      let (key, _) = try table.createObject()
      for column in table.schema.columns {
        // A property younger than the values has the default of new objects.
        guard let value = properties[column.name] else { continue }
        if let places, points.contains(column.name) {
          try Self.set(value, column, key, of: table, places)
        } else {
          try table.set(value, column, key)
        }
      }
      positions[key] = position
      keys.append(key)
    }
    let found = try view.keys(among: keys, ofClass: name, table: table.table, in: group)
    return Set(found.compactMap { positions[$0] })
  }

  /// Adds the properties with positions; returns their table.
  private static func addPoints(
    _ names: Set<String>, to table: WritableTable, ofClass name: String, in group: WriteGroup
  ) throws(StorageError) -> WritableTable? {
    guard !names.isEmpty else { return nil }
    let positions = try group.createTable(
      named: name == "Position" ? "class_Point" : "class_Position", kind: .embedded)
    try positions.addColumn(named: "type", type: .string)
    try positions.addColumn(named: "coordinates", type: .double, collection: .list)
    for name in names.sorted() {
      try table.addColumn(named: name, type: .link, target: positions.key)
    }
    return positions
  }

  private static func set(
    _ value: TableValue, _ column: Column, _ key: ObjectKey, of table: WritableTable,
    _ positions: WritableTable
  ) throws(StorageError) {
    guard case .list(let coordinates) = value, let points = PointColumns(positions.schema)
    else { return }
    let (position, _) = try table.createEmbedded(column, of: key)
    try positions.set(.string("Point"), points.type, position)
    let list = try positions.list(points.coordinates, position)
    for (index, number) in coordinates.enumerated() { try list.insert(number, at: index) }
  }
}

/// What clients at some cursors have missed up to the version that was asked for last.
struct MissedCache: Sendable {
  private static let byteCountMax = 8 << 20

  private var realm: RealmID?
  private var version: UInt64 = 0
  /// By the versions of cursors.
  private var items: [UInt64: MissedChanges] = [:]
  private(set) var byteCount = 0
  private var isUsed = false

  /// What was missed between two versions; nil if it is not known.
  mutating func changes(after cursor: UInt64, to head: RealmHead) -> MissedChanges? {
    guard head.realm == realm, head.version == version else { return nil }
    isUsed = true
    return items[cursor]
  }

  /// Forgets all if no client has missed anything since the last call.
  mutating func forgetUnused() {
    if !isUsed { (items, byteCount) = ([:], 0) }
    isUsed = false
  }

  /// Keeps what was missed between two versions. Few clients have missed very much.
  mutating func keep(_ changes: MissedChanges, after cursor: UInt64, to head: RealmHead) {
    let size = changes.byteCount
    guard size <= Self.byteCountMax / 8 else { return }
    if head.realm != realm || head.version != version || byteCount + size > Self.byteCountMax {
      (items, byteCount) = ([:], 0)
    }
    (realm, version, isUsed) = (head.realm, head.version, true)
    guard items.updateValue(changes, forKey: cursor) == nil else { return }
    byteCount += size
    assert(byteCount <= Self.byteCountMax, "`ViewScratch` 3")
  }
}

/// The views of queries that were bound to the classes of a version.
struct ViewCache: Sendable {
  private static let countMax = 1_024
  /// The bytes of the queries: what is made of a condition takes some twenty times as much.
  private static let byteCountMax = 2 << 20

  private var schemas: [TableSchema] = []
  /// With whether they were asked for since the last call of `forgetUnused`.
  private var views: [EffectiveQuery: (view: View, isUsed: Bool)] = [:]
  private(set) var byteCount = 0

  /// A view that was bound to the same classes; nil if there is none.
  mutating func view(_ query: EffectiveQuery, _ schemas: [TableSchema]) -> View? {
    // Versions with equal classes share their schemas.
    guard self.schemas.elementsEqual(schemas, by: { $0 === $1 }),
      let place = views.index(forKey: query)
    else { return nil }
    views.values[place].isUsed = true
    return views.values[place].view
  }

  /// Forgets the views of queries that no client has had since the last call.
  mutating func forgetUnused() {
    views = views.filter { $0.value.isUsed }.mapValues { (view: $0.view, isUsed: false) }
    byteCount = views.keys.reduce(0) { $0 + $1.byteCount }
  }

  /// Keeps a view that was bound to some classes.
  mutating func keep(_ view: View, of query: EffectiveQuery, _ schemas: [TableSchema]) {
    let count = query.byteCount
    if views.count >= Self.countMax || byteCount + count > Self.byteCountMax
      || !self.schemas.elementsEqual(schemas, by: { $0 === $1 })
    {
      (views, byteCount) = ([:], 0)
    }
    self.schemas = schemas
    if views.updateValue((view, true), forKey: query) == nil { byteCount += count }
  }
}
