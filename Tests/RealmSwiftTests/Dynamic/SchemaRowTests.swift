// SPDX-License-Identifier: Apache-2.0

// What schemas and dynamic objects report, row by row.

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

@Suite("Coverage 11: dynamic API and schema") struct SchemaRowTests {
  @Test func typesHaveTheirNumbersAndNames() {
    let types: [(PropertyType, Int32, String)] = [
      (.int, 0, "int"), (.bool, 1, "bool"), (.string, 2, "string"), (.data, 3, "data"),
      (.date, 4, "date"), (.float, 5, "float"), (.double, 6, "double"), (.object, 7, "object"),
      (.linkingObjects, 8, "linking objects"), (.any, 9, "mixed"), (.objectId, 10, "object id"),
      (.decimal128, 11, "decimal128"), (.UUID, 12, "uuid"),
    ]
    for (type, number, name) in types {
      expectEqual(type.rawValue, number)
      expectEqual(PropertyType(rawValue: number), type)
      expectEqual("\(type)", name)
    }
    expectEqual(PropertyType(rawValue: 13), nil)
  }

  /// Each property of each shape, typed and dynamic, says what it is.
  @Test func propertiesTellTheirShapes() throws {
    let realm = try TemporaryRealm([
      MigrationMatrix.Row.self, MigrationMatrix.Target.self, MigrationMatrix.Part.self,
    ]).open()
    let row = try #require(realm.schema["Row"])
    let dynamic = try realm.write { realm.dynamicCreate("Row") }
    for property in row.properties {
      let name = property.name
      expectEqual(property.isArray, name.hasSuffix("List"), "\(name)")
      expectEqual(property.isSet, name.hasSuffix("Set"), "\(name)")
      expectEqual(property.isMap, name.hasSuffix("Map"), "\(name)")
      expectEqual(property.columnName, name)
      expectFalse(property.isIndexed)
      let linked = name.hasPrefix("link") ? "Target" : name.hasPrefix("part") ? "Part" : nil
      expectEqual(property.objectClassName, linked, "\(name)")
      let isNullable =
        name.contains("Optional") || ["link", "linkMap", "part", "partMap"].contains(name)
      expectEqual(property.isOptional, isNullable, "\(name)")
      expectEqual(row[name], property)
      expectEqual(Set([property, property]).count, 1)
      expectEqual(dynamic.objectSchema[name], property, "\(name)")
    }
    expectTrue(row != realm.schema["Target"])
    expectEqual(realm.schema, realm.schema)
    expectEqual(realm.schema["Part"]?.isEmbedded, true)
    expectEqual(row.isAsymmetric, false)
    #expect(
      realm.schema.description.hasPrefix("Schema {\n\tPart (embedded) {\n\t\tnumber {\n\t\t\ttype"))
  }

  /// Values of dynamic objects come as the types that the database stores.
  @Test func dynamicValuesHaveTheTypesOfTheDatabase() throws {
    let realm = try TemporaryRealm([
      MigrationMatrix.Row.self, MigrationMatrix.Target.self, MigrationMatrix.Part.self,
    ]).open()
    let row = try realm.write {
      realm.dynamicCreate(
        "Row",
        value: [
          "int": 3, "intOptional": nil, "stringList": ["a"], "uuidOptionalSet": [nil, UUID()],
          "link": ["number": 4], "linkList": [["number": 5]], "part": ["number": 6],
          "partMap": ["x": ["number": 7]], "any": 1.5, "dateMap": ["now": Date()],
        ] as [String: Any?])
    }
    expectEqual(row.int as? Int, 3)
    expectTrue(row.intOptional == nil)
    expectEqual(row["any"] as? Double, 1.5)
    expectEqual((row.stringList as? List<String>)?.first, "a")
    expectEqual((row.uuidOptionalSet as? MutableSet<UUID?>)?.count, 2)
    expectEqual((row.link as? Object)?["number"] as? Int, 4)
    expectEqual((row.linkList as? List<DynamicObject>)?.first?.number as? Int, 5)
    expectEqual((row.part as? EmbeddedObject)?["number"] as? Int, 6)
    expectEqual((row.partMap as? Map<String, DynamicObject?>)?["x"]??.number as? Int, 7)
    expectEqual((row.dateMap as? Map<String, Date>)?.count, 1)
    try realm.write {
      row["link"] = nil
      row.boolOptional = true
      (row.stringList as? List<String>)?.append("b")
      (row.partMap as? Map<String, DynamicObject?>)?["x"] = .some(nil)
    }
    expectTrue(row.link == nil)
    expectEqual(row.boolOptional as? Bool, true)
    let typed = try #require(realm.objects(MigrationMatrix.Row.self).first)
    expectEqual(Array(typed.stringList), ["a", "b"])
    expectEqual(typed.partMap["x"], .some(nil))
    expectEqual(realm.dynamicObjects("Part").count, 1)
  }

  @Test func texts() async {
    await #expect(processExitsWith: .success) {
      @Sendable func realm() throws -> Realm {
        let realm = try Misuse.realmWithPerson().realm
        try realm.write { realm.create(Dog.self, value: ["name": "Rex"]) }
        return realm
      }
      expectEqual(
        Traps.text {
          let realm = try realm()
          guard let dog = realm.dynamicObjects("Dog").first else { return }
          _ = realm.dynamicObjects("Person").index(of: dog)
        }, "Object of type 'Dog' does not match Results type 'Person'.")
      expectEqual(
        Traps.text {
          let realm = try realm()
          guard let dog = realm.dynamicObjects("Dog").first else { return }
          _ = try Misuse.realmWithPerson().realm.dynamicObjects("Dog").index(of: dog)
        }, "Object must be from the Realm being queried")
      expectEqual(
        Traps.text { _ = try realm().dynamicObject(ofType: "Dog", forPrimaryKey: 1) },
        "'Dog' does not have a primary key defined")
      let key = Traps.text {
        _ = try realm().dynamicObject(ofType: "Person", forPrimaryKey: "x")
      }
      expectTrue(key.hasPrefix("Invalid value 'x'"))
      expectEqual(
        Traps.text { _ = try realm().dynamicObjects("Person").first?.dynamicList("name") },
        "Property 'Person.name' of type 'string' is no list.")
    }
  }
}
