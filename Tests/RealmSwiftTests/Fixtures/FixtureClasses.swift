// SPDX-License-Identifier: Apache-2.0

// What the tests of fixtures need to know of a class, and the files themselves.

import Foundation
import RealmFormats
import RealmStorage
import RealmSwiftTestSupport
import RealmTestSupport
import Testing

@testable import RealmSwift

/// A class of a fixture.
protocol FixtureClass: ObjectBase, FixtureValue {
  /// Its stored properties.
  static var paths: [PartialKeyPath<Self>] { get }
  /// Its properties that show links: the table and the property that link, and the property here.
  static var backlinks: [(String, String, PartialKeyPath<Self>)] { get }
}

extension FixtureClass {
  static var backlinks: [(String, String, PartialKeyPath<Self>)] { [] }
}

/// A class whose objects are found by themselves.
protocol FixtureObject: FixtureClass, FixtureSample where Self: Object {}

extension FixtureObject {
  static func sample(_ number: Int, _ source: FixtureSource) -> Self {
    let all = source.realm.objects(Self.self)
    return all.isEmpty ? Self() : all[number % all.count]
  }
}

/// A class whose objects are parts of others.
protocol FixturePart: FixtureClass, FixtureSample where Self: EmbeddedObject {}

extension FixturePart {
  static func sample(_ number: Int, _ source: FixtureSource) -> Self {
    let part = Self()
    for path in paths { source.fill(part, path) }
    return part
  }
}

/// A file that Realm Core wrote.
struct FixtureFile: Sendable, CustomTestStringConvertible {
  let name: String
  let version: UInt64
  let parts: [any FixturePart.Type]
  let classes: [any FixtureObject.Type]

  var testDescription: String { name }

  static let all: [FixtureFile] = [
    FixtureFile(
      name: "all-types", version: 7,
      parts: [AllTypesFixture.Address.self, AllTypesFixture.GeoPoint.self],
      classes: [
        AllTypesFixture.AllTypes.self, AllTypesFixture.Article.self, AllTypesFixture.Big.self,
        AllTypesFixture.Collections.self, AllTypesFixture.IntWidths.self,
        AllTypesFixture.NoKey.self, AllTypesFixture.OptIntPk.self,
        AllTypesFixture.OptStringPk.self, AllTypesFixture.Person.self,
        AllTypesFixture.StringPk.self, AllTypesFixture.Strings.self, AllTypesFixture.UuidPk.self,
        AllTypesFixture.SparseKeys.self, AllTypesFixture.EnumStrings.self,
      ]),
    FixtureFile(
      name: "schema-changes", version: 0, parts: [],
      classes: [
        SchemaChangesFixture.A.self, SchemaChangesFixture.Bee.self, SchemaChangesFixture.C.self,
      ]),
    FixtureFile(
      name: "tombstones", version: 0, parts: [],
      classes: [TombstonesFixture.Target.self, TombstonesFixture.Origin.self]),
    FixtureFile(name: "deep", version: 0, parts: [], classes: [DeepFixture.N.self]),
  ]

  private func url(_ suffix: String) -> URL {
    URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("RealmTablesTests/Fixtures/\(name).\(suffix)")
  }

  /// A copy of the file, which may be changed.
  func copy() throws -> TemporaryRealm {
    let file = try TemporaryRealm(parts.map { $0 as ObjectBase.Type } + classes.map { $0 })
    file.configuration.schemaVersion = version
    try FileManager.default.copyItem(
      at: url("realm"), to: try #require(file.configuration.fileURL))
    return file
  }

  /// What Realm Core reads in the file.
  func expected() throws -> FixtureContents {
    FixtureContents(try JSONParser.parse(Array(Data(contentsOf: url("json")))))
  }
}

/// Rows by class and key, with values as a program sees them.
struct FixtureContents: Equatable {
  var rows: [String: [Int64: JSONValue]] = [:]
  var backlinks: [String: [Int64: JSONValue]] = [:]

  init() {}

  /// Takes the classes out of a dump in the layout of the fixtures.
  init(_ dump: JSONValue) {
    for table in dump["tables"]?.elements ?? [] {
      guard let name = table["class"]?.string else { continue }
      let properties = table["properties"]?.elements ?? []
      for row in table["rows"]?.elements ?? [] {
        guard let key = row["key"]?.integer else { continue }
        rows[name, default: [:]][key] = .object(
          properties.map { property in
            let name = property["name"]?.string ?? ""
            return JSONMember(name, Self.value(row["values"]?[name] ?? .null, of: property))
          })
        if let links = row["backlinks"] { backlinks[name, default: [:]][key] = links }
      }
    }
  }

  private static func value(_ value: JSONValue, of property: JSONValue) -> JSONValue {
    let type = property["type"]?.string ?? ""
    switch property["collection"]?.string {
    case "list", "set": return .array(value.elements.map { one($0, type) })
    case "dictionary":
      return .array(
        value.elements.map { .array([$0.elements[0], one($0.elements[1], type)]) })
    default: return one(value, type)
    }
  }

  /// A date as the nearest one that a program can have, and a decimal by its text.
  private static func one(_ value: JSONValue, _ type: String) -> JSONValue {
    switch (type, value) {
    case (_, .null): return .null
    case ("date", _):
      guard let seconds = value.elements.first?.integer, let rest = value.elements.last?.integer
      else { return value }
      let whole = seconds.subtractingReportingOverflow(978_307_200)
      return .double(Double(whole.overflow ? .min : whole.partialValue) + Double(rest) / 1e9)
    case ("decimal128", _): return decimal(value)
    case ("float", .integer(let number)), ("double", .integer(let number)):
      return .double(Double(number))
    case ("mixed", .object(let members)):
      guard let member = members.first else { return value }
      switch member.key {
      case "list":
        return .object([.init("list", .array(member.value.elements.map { one($0, "mixed") }))])
      case "dictionary":
        let entries = member.value.elements.map { entry -> JSONValue in
          .array([entry.elements[0], one(entry.elements[1], "mixed")])
        }
        return .object([.init("dictionary", .array(entries))])
      default: return .object([.init(member.key, one(member.value, member.key))])
      }
    default: return value
    }
  }

  /// The string of a decimal, made from its bits: other readers format decimals in other ways.
  private static func decimal(_ value: JSONValue) -> JSONValue {
    guard let high = UInt64(value["high"]?.string ?? "", radix: 16),
      let low = UInt64(value["low"]?.string ?? "", radix: 16)
    else { return value }
    return .string(Decimal128(low: low, high: high).bits.parts.text)
  }
}
