// SPDX-License-Identifier: Apache-2.0

// Every type of property, required and optional, in every collection, to every other: what is kept
// is said by a table of the rules, in `kept`.

import Foundation
import RealmFormats
import RealmStorage
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSession
@testable import RealmSwift

/// Which property of the class had which shape in the file.
enum MatrixArrangement: Sendable, Hashable {
  /// What was required is optional, and the other way round.
  case flipped
  /// Each has the shape of another one.
  case shifted(by: Int)

  func old(of new: ModelProperty, among all: [ModelProperty]) -> _PropertyShape {
    switch self {
    case .shifted(let distance): return all[(new.index + distance) % all.count].shape
    case .flipped:
      var shape = new.shape
      if shape.type != .object, shape.type != .any { shape.isOptional.toggle() }
      return shape
    }
  }
}

/// A file with a class whose properties have other shapes than the program's.
struct MatrixFile {
  let arrangement: MatrixArrangement

  static var properties: [ModelProperty] {
    ModelSchema.of(MigrationMatrix.Row.self).properties
  }

  /// Whether all arrangements are tried.
  static let isLong = ProcessInfo.processInfo.environment["REALM_MIGRATION_ROUNDS"] == "all"

  static let fixture = FixtureFile(
    name: "matrix", version: 1, parts: [MigrationMatrix.Part.self],
    classes: [MigrationMatrix.Row.self, MigrationMatrix.Target.self])

  static func configuration(_ block: MigrationBlock? = nil) -> Realm.Configuration {
    Realm.Configuration(
      fileURL: URL(fileURLWithPath: "/simulated/matrix.realm"), schemaVersion: 1,
      migrationBlock: block,
      objectTypes: [
        MigrationMatrix.Row.self, MigrationMatrix.Target.self, MigrationMatrix.Part.self,
      ])
  }

  /// Writes three objects: of zeros and nulls, of values, and of both.
  func write(to file: DatabaseFile) throws {
    let group = try WriteGroup(file.beginWrite())
    let table = try group.createTable(named: "class_Row")
    let target = try group.createTable(named: "class_Target")
    let part = try group.createTable(named: "class_Part", kind: .embedded)
    var columns: [(Column, _PropertyShape)] = []
    for other in [target, part] {
      _ = try other.addColumn(named: "number", type: .int, collection: .none, isNullable: false)
    }
    let keys = try (0..<3).map { _ in try target.createObject().key }
    let properties = Self.properties
    for property in properties {
      let shape = arrangement.old(of: property, among: properties)
      guard let type = shape.columnType else { continue }
      let key: TableKey? =
        switch shape.linkedClassName {
        case "Target": target.key
        case "Part": part.key
        default: nil
        }
      let column = try table.addColumn(
        named: property.name, type: type, collection: shape.collectionKind,
        isNullable: shape.isColumnNullable, target: key)
      columns.append((column, shape))
    }
    for round in 0..<3 {
      let row = try table.createObject().key
      for (column, shape) in columns {
        guard let column = table.schema.column(column.key) else { continue }
        if shape.linkedClassName == "Part" {
          try fillParts(table, column, row, round)
        } else {
          let values = Self.values(column, round, target.key, keys)
          try table.set(values, column, row)
        }
      }
    }
    try group.setSchemaVersion(0)
    _ = try group.commit()
  }

  private func fillParts(
    _ table: WritableTable, _ column: Column, _ row: ObjectKey, _ round: Int
  ) throws {
    guard round > 0 else { return }
    switch column.collection {
    case .none: _ = try table.createEmbedded(column, of: row)
    case .list: for index in 0..<round { _ = try table.list(column, row).insertEmbedded(at: index) }
    default:
      for name in ["a", "b"] { _ = try table.dictionary(column, row).setEmbedded(for: name) }
      try table.dictionary(column, row).set(.null, for: "none")
    }
  }

  private static func values(
    _ column: Column, _ round: Int, _ target: TableKey, _ keys: [ObjectKey]
  ) -> TableValue {
    func value(_ number: Int) -> TableValue {
      let isNull = column.isNullable && number % 3 == 0
      return isNull ? .null : scalar(column.type, number, target, keys)
    }
    let numbers = round == 0 ? [] : round == 1 ? [1, 2] : [0, 1, 2]
    switch column.collection {
    case .none: return value(round)
    case .list: return .list((numbers.reversed() + numbers).map(value))
    case .set: return .list(numbers.map(value))
    case .dictionary:
      return .dictionary(
        TableDictionary(numbers.map { .init(key: "k\($0)", value: value($0)) }))
    }
  }

  private static func scalar(
    _ type: ColumnType, _ number: Int, _ target: TableKey, _ keys: [ObjectKey]
  ) -> TableValue {
    switch type {
    case .int: .int(Int64(number) << 40)
    case .bool: .bool(number == 2)
    case .string: .string(String(repeating: "é", count: number * 40))
    case .binary: .binary([UInt8](repeating: UInt8(number), count: number * 30))
    case .timestamp: .timestamp(Timestamp(seconds: Int64(number) << 33, nanoseconds: 0))
    case .float: .float(Float(number) / 8)
    case .double: .double(Double(number) / 3)
    case .decimal: .decimal(DecimalBits(integer: Int64(number) * 111))
    case .objectId: .objectId(Bytes12(high: UInt64(number), low: 3))
    case .uuid: .uuid(Bytes16(high: UInt64(number), low: 5))
    case .link: .link(keys[number % keys.count])
    case .mixed: number == 1 ? .typedLink(target, keys[2]) : .double(Double(number))
    case .typedLink, .backlink: .null
    }
  }
}

@Suite("Coverage 16: what a migration keeps of every type in every collection")
struct MigrationMatrixTests {
  /// The zero of a type, in the terms of the fixtures.
  private static func zero(_ type: PropertyType) -> JSONValue {
    switch type {
    case .bool: false
    case .int: 0
    case .float, .double: .double(0)
    case .string, .data: ""
    case .date: .double(-978_307_200)
    case .objectId: .string(String(repeating: "0", count: 24))
    case .decimal128: "0"
    case .UUID: "00000000-0000-0000-0000-000000000000"
    case .any, .object, .linkingObjects: .null
    }
  }

  /// The rules. Values stay if type, collection and linked class are as they were; where nulls are
  /// not allowed any more, a single value becomes the zero of its type, and elements go. All else
  /// begins from scratch: with nothing where that is possible, with the zero of the type elsewhere.
  private static func kept(
    _ value: JSONValue, _ old: _PropertyShape, _ new: _PropertyShape
  ) -> JSONValue {
    let isSame =
      old.type == new.type && old.collection == new.collection
      && old.linkedClassName == new.linkedClassName
    let allowsNull = new.isOptional || new.type == .any || new.type == .object
    switch new.collection {
    case .none:
      let kept = isSame ? value : .null
      return kept == .null && !allowsNull ? zero(new.type) : kept
    case .list, .set:
      guard isSame else { return [] }
      return allowsNull ? value : .array(value.elements.filter { $0 != .null })
    case .map:
      guard isSame else { return [] }
      return allowsNull ? value : .array(value.elements.filter { $0.elements[1] != .null })
    }
  }

  private static let all: [MatrixArrangement] =
    [.flipped]
    + stride(from: 0, to: MatrixFile.properties.count, by: MatrixFile.isLong ? 1 : 9).map {
      .shifted(by: $0)
    }

  @Test("by the rules", .heavy, arguments: all) func keeps(arrangement: MatrixArrangement) throws {
    let properties = MatrixFile.properties
    let file = try SimulatedFileSystem().openDatabase()
    try MatrixFile(arrangement: arrangement).write(to: file)
    let before = try FixtureContents([
      "tables": ContentDump(TableGroup(file.snapshot())).json()
    ])
    var expected = before
    var parts: Set<Int64> = []
    for (key, row) in before.rows["Row"] ?? [:] {
      let members = properties.map { property in
        let old = arrangement.old(of: property, among: properties)
        let value = Self.kept(row[property.name] ?? .null, old, property.shape)
        if property.shape.linkedClassName == "Part" { parts.formUnion(value.keys) }
        return JSONMember(property.name, value)
      }
      expected.rows["Row"]?[key] = .object(members)
    }
    expected.rows["Part"] = expected.rows["Part"]?.filter { parts.contains($0.key) }
    expected.backlinks = [:]
    let configuration = MatrixFile.configuration { migration, _ in
      // The old objects have all values in their old types.
      let reader = FixtureReader(isDynamic: true)
      migration.enumerateObjects(ofType: "Row") { old, new in
        expectTrue(new != nil)
        if let old { reader.read(old) }
      }
      expectEqual(reader.contents.rows["Row"], before.rows["Row"], "\(arrangement)")
    }
    let core = try RealmOpener(configuration, file: file).open(.current)
    try expectEqual(DatabaseCheck.run(core.snapshot()), [], "\(arrangement)")
    let realm = Realm(core: core)
    let found = FixtureReader.contents(of: MatrixFile.fixture, realm)
    for (name, rows) in expected.rows {
      expectEqual(found.rows[name] ?? [:], rows, "\(arrangement)")
    }
    // No part is left over without an owner.
    try expectEqual(core.classes[MigrationMatrix.Part.self].table.objectCount(), parts.count)
  }
}

extension JSONValue {
  /// All numbers in a value, an array, or a dictionary.
  fileprivate var keys: [Int64] {
    switch self {
    case .integer(let key): [key]
    case .array(let elements): elements.flatMap(\.keys)
    default: []
    }
  }
}
