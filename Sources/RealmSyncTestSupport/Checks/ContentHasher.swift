// SPDX-License-Identifier: Apache-2.0

// The digests of classes, objects and values.

import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmTables

/// Computes the digests of classes, objects and values.
struct ContentHasher<Source: TableReader> {
  /// A class with its hashed columns.
  private struct ClassPlan {
    let schema: TableSchema
    let name: String
    /// In the order of their names, without the primary key.
    let columns: [Column]
  }

  let source: Source
  let file: FileIdentifier
  private var plans: [TableKey: ClassPlan?] = [:]

  init(source: Source, file: FileIdentifier) {
    self.source = source
    self.file = file
  }

  mutating func digest() throws(StorageError) -> StateDigest {
    var total = StateDigest()
    for key in try source.tableKeys() {
      guard let plan = try plan(key) else { continue }
      total += try digest(schemaOf: plan)
      if plan.schema.kind != .embedded { total += try digest(objectsOf: plan) }
    }
    return total
  }

  private mutating func plan(_ table: TableKey) throws(StorageError) -> ClassPlan? {
    if let known = plans[table] { return known }
    var plan: ClassPlan?
    if let schema = try source.schema(of: table), let name = schema.className {
      plan = ClassPlan(
        schema: schema, name: name,
        columns: schema.columns.filter { !$0.isPrimaryKey }.sorted { $0.name < $1.name })
    }
    plans[table] = .some(plan)
    return plan
  }

  // MARK: Schema

  private mutating func digest(schemaOf plan: ClassPlan) throws(StorageError) -> StateDigest {
    var hasher = DigestHasher(1)
    hasher.add(plan.name)
    hasher.add(UInt64(plan.schema.kind.rawValue))
    for column in plan.columns + (plan.schema.primaryKey.map { [$0] } ?? []) {
      hasher.add(column.name)
      hasher.add(UInt64(column.type.rawValue))
      hasher.add(UInt64(column.collection.rawValue))
      hasher.add(column.isNullable ? 1 : 0)
      hasher.add(column.isPrimaryKey ? 1 : 0)
      if let target = column.targetTable { hasher.add(try self.plan(target)?.name ?? "") }
    }
    return hasher.stateDigest
  }

  // MARK: Objects

  private mutating func digest(objectsOf plan: ClassPlan) throws(StorageError) -> StateDigest {
    var total = StateDigest()
    guard let table = try source.readTable(plan.schema.key) else { return total }
    var cursor = table.clusterCursor()
    while let cluster = try cursor.next() {
      for index in 0..<cluster.count {
        var hasher = DigestHasher(2)
        hasher.add(plan.name)
        let row = cluster.row(at: index)
        hasher.add(try identity(of: cluster.key(at: index), row, plan))
        hasher.add(try digest(row, plan))
        total += hasher.stateDigest
      }
    }
    return total
  }

  /// The digest of an object's identity in its class.
  private mutating func identity(
    of object: ObjectKey, _ row: Row, _ plan: ClassPlan
  ) throws(StorageError) -> StateDigest {
    if let column = plan.schema.primaryKey {
      return try digest(row.value(of: column), column)
    }
    let (high, low) = object.globalParts(ownIdent: file.rawValue)
    var hasher = DigestHasher(3)
    hasher.add(high)
    hasher.add(low)
    return hasher.stateDigest
  }

  private mutating func digest(_ row: Row, _ plan: ClassPlan) throws(StorageError) -> StateDigest {
    var hasher = DigestHasher(4)
    for column in plan.columns {
      hasher.add(column.name)
      let value = try row.value(of: column)
      if column.collection == .set, case .list(let members) = value {
        hasher.add(try digest(ofSet: members, column))
      } else {
        hasher.add(try digest(value, column))
      }
    }
    return hasher.stateDigest
  }

  // MARK: Values

  private mutating func digest(
    ofSet members: [TableValue], _ column: Column
  ) throws(StorageError) -> StateDigest {
    var total = StateDigest(high: UInt64(members.count))
    for member in members { total += try digest(member, column) }
    return total
  }

  private mutating func digest(
    _ value: TableValue, _ column: Column
  ) throws(StorageError) -> StateDigest {
    var hasher = DigestHasher(5)
    switch value {
    case .null: hasher.add(0)
    case .int(let number):
      hasher.add(1)
      hasher.add(UInt64(bitPattern: number))
    case .bool(let truth): hasher.add(truth ? 3 : 2)
    case .float(let number):
      hasher.add(4)
      hasher.add(UInt64(number.bitPattern))
    case .double(let number):
      hasher.add(5)
      hasher.add(number.bitPattern)
    case .string(let text):
      hasher.add(6)
      hasher.add(text)
    case .binary(let bytes):
      hasher.add(7)
      hasher.add(bytes: bytes)
    case .timestamp(let date):
      hasher.add(8)
      hasher.add(UInt64(bitPattern: date.seconds))
      hasher.add(UInt64(bitPattern: Int64(date.nanoseconds)))
    case .decimal(let bits):
      hasher.add(9)
      hasher.add(bits.high)
      hasher.add(bits.low)
    case .objectId(let id):
      hasher.add(10)
      hasher.add(id.high)
      hasher.add(UInt64(id.low))
    case .uuid(let id):
      hasher.add(11)
      hasher.add(id.high)
      hasher.add(id.low)
    case .link(let key):
      return try digest(ofLinkTo: key, in: column.targetTable ?? .null)
    case .typedLink(let table, let key): return try digest(ofLinkTo: key, in: table)
    case .list(let values):
      hasher.add(12)
      for value in values { hasher.add(try digest(value, column)) }
      hasher.add(UInt64(values.count))
    case .dictionary(let map):
      hasher.add(13)
      var total = StateDigest(high: UInt64(map.entries.count))
      for entry in map.entries {
        var entryHasher = DigestHasher(6)
        entryHasher.add(entry.key)
        entryHasher.add(try digest(entry.value, column))
        total += entryHasher.stateDigest
      }
      hasher.add(total)
    }
    return hasher.stateDigest
  }

  private mutating func digest(
    ofLinkTo object: ObjectKey, in table: TableKey
  ) throws(StorageError) -> StateDigest {
    var hasher = DigestHasher(7)
    if !object.isTombstone, let plan = try plan(table),
      let row = try source.row(of: object, in: table)
    {
      hasher.add(plan.name)
      hasher.add(
        plan.schema.kind == .embedded
          ? try digest(row, plan) : try identity(of: object, row, plan))
    }
    return hasher.stateDigest
  }
}
