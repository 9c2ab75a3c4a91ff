// SPDX-License-Identifier: Apache-2.0

// Random earlier shapes of one class: what becomes of each value when the class is as it is now.

import Foundation
import RealmStorage
import RealmSwiftTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSession
@testable import RealmSwift

struct MigrationShapeTests {
  /// A column as an earlier shape of the class had it, and what the objects held there.
  private struct OldColumn {
    var type: ColumnType
    var isNullable: Bool
    var isList = false
    var isIndexed = false
    var values: [ObjectKey: TableValue] = [:]
  }

  private static let types: [ColumnType] = [
    .int, .bool, .string, .binary, .timestamp, .float, .double, .decimal, .objectId, .uuid,
  ]

  private static func value(
    of type: ColumnType, _ random: inout SeededGenerator
  ) -> TableValue {
    let bits = random.next()
    switch type {
    case .int: return .int(Int64(truncatingIfNeeded: bits) >> Int64(bits % 60))
    case .bool: return .bool(bits & 1 == 1)
    case .string: return .string(String(repeating: "é", count: Int(bits % 80)))
    case .binary: return .binary([UInt8](repeating: 7, count: Int(bits % 90)))
    case .timestamp:
      return .timestamp(Timestamp(seconds: Int64(bits >> 30), nanoseconds: Int32(bits % 1000)))
    case .float: return .float(Float(bits % 10_000) / 8)
    case .double: return .double(Double(bits % 1_000_000) / 16)
    case .decimal: return .decimal(DecimalBits(integer: Int64(bits % 1_000_000)))
    case .objectId: return .objectId(Bytes12(high: bits, low: 3))
    case .uuid: return .uuid(Bytes16(high: bits, low: 5))
    default: return .null
    }
  }

  /// Properties of the present class, some as they are, some changed, some missing, and others.
  private func shape(_ random: inout SeededGenerator) -> [String: OldColumn] {
    var columns: [String: OldColumn] = [:]
    for property in ModelSchema.of(AllTypes.self).properties {
      guard let type = property.shape.columnType, !random.chance(0.15) else { continue }
      var column = OldColumn(type: type, isNullable: property.shape.isOptional)
      if random.chance(0.3) { column.isNullable.toggle() }
      if random.chance(0.2) { column.type = Self.types.randomElement(using: &random) ?? .int }
      if random.chance(0.1) { column.isList = true }
      column.isIndexed = !column.isList && column.type.canBeIndexed && random.chance(0.2)
      columns[property.name] = column
    }
    for index in 0..<Int.random(in: 0..<4, using: &random) {
      columns["old\(index)"] = OldColumn(
        type: Self.types.randomElement(using: &random) ?? .int, isNullable: true)
    }
    return columns
  }

  /// Writes a file of that shape; the keys of its objects.
  private func write(
    _ columns: inout [String: OldColumn], _ file: DatabaseFile, _ random: inout SeededGenerator
  ) throws -> [ObjectKey] {
    let group = try WriteGroup(file.beginWrite())
    let table = try group.createTable(named: "class_AllTypes")
    var made: [String: Column] = [:]
    for name in columns.keys.sorted().shuffled(using: &random) {
      guard let old = columns[name] else { continue }
      made[name] = try table.addColumn(
        named: name, type: old.type, collection: old.isList ? .list : .none,
        isNullable: old.isNullable, isIndexed: old.isIndexed)
    }
    let idIsKept = columns["_id"].map { $0.type == .objectId && !$0.isList } ?? false
    var keys: [ObjectKey] = []
    for _ in 0..<(idIsKept ? Int.random(in: 0..<300, using: &random) : 1) {
      let key = try table.createObject().key
      keys.append(key)
      for (name, old) in columns.sorted(by: { $0.key < $1.key }) {
        guard let column = made[name] else { continue }
        var value = Self.value(of: old.type, &random)
        // Ids differ, as they become primary keys.
        if name == "_id", idIsKept {
          value = .objectId(Bytes12(high: UInt64(keys.count), low: 1))
        } else if old.isNullable, random.chance(0.3) {
          value = .null
        }
        if old.isList { value = .list([value, value]) }
        try table.set(value, column, key)
        columns[name]?.values[key] = value
      }
    }
    try group.setSchemaVersion(0)
    _ = try group.commit()
    return keys
  }

  @Test(arguments: 1...UInt64(24)) func valuesThatFitAreKept(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var columns = shape(&random)
    let file = try SimulatedFileSystem().openDatabase()
    let keys = try write(&columns, file, &random)
    let configuration = Realm.Configuration(
      fileURL: URL(fileURLWithPath: "/simulated/shape.realm"), schemaVersion: 1,
      migrationBlock: { migration, _ in
        var count = 0
        migration.enumerateObjects(ofType: "AllTypes") { old, new in
          expectTrue(old != nil)
          expectTrue(new != nil)
          count += 1
        }
        expectEqual(count, keys.count)
      }, objectTypes: [AllTypes.self])
    let core = try RealmOpener(configuration, file: file).open(.current)
    try expectEqual(DatabaseCheck.run(core.snapshot()), [], "seed \(seed)")
    let realm = Realm(core: core)
    expectEqual(realm.objects(AllTypes.self).count, keys.count)
    realm.beginWrite()
    let fresh = realm.create(AllTypes.self)
    let info = core.classes[AllTypes.self]
    for property in info.schema.properties where !property.isPrimaryKey {
      let column = info.column(property.index)
      expectEqual(column.isNullable, property.shape.isOptional)
      expectFalse(column.isIndexed)
      let zero = try #require(try info.row(of: fresh._key)).value(of: column)
      let old = columns[property.name]
      let isKept = old.map { $0.type == column.type && !$0.isList } ?? false
      for key in keys {
        let found = try #require(try info.row(of: key)).value(of: column)
        let kept = isKept ? old?.values[key] : nil
        let hasDefault = kept == nil || kept == .null && !column.isNullable
        // Dates and identifiers of new objects have defaults of their own.
        if hasDefault, [.timestamp, .uuid, .objectId].contains(column.type), !column.isNullable {
          continue
        }
        expectEqual(found, (hasDefault ? zero : kept), "seed \(seed), \(property.name)")
      }
    }
    realm.cancelWrite()
  }
}
