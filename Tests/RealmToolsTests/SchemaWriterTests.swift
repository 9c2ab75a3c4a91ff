// SPDX-License-Identifier: Apache-2.0

// Classes as code and as diagrams.

#if Tools
import Foundation
import RealmDeclarations
import RealmFormats
import RealmQuery
import RealmStorage
import RealmTables
import RealmTestSupport
import RealmTools
import TestExtensions
import Testing

struct SchemaWriterTests {
  private func classes(_ fill: (WriteGroup) throws -> Void) throws -> StoredSchema {
    let directory = try TemporaryDirectory()
    let writer = try RealmWriter(path: directory.file("a.realm"), creates: true)
    _ = try writer.write { try fill($0) }
    return try StoredSchema(try writer.group())
  }

  @Test func namesThatAreNoIdentifiersAreMapped() throws {
    let classes = try classes { group in
      let table = try group.createTable(named: "class_My class")
      try table.addColumn(named: "first name", type: .string)
      try table.addColumn(named: "default", type: .int)
      try table.addColumn(named: "2nd", type: .bool)
      try table.addColumn(named: "realm", type: .bool)
    }
    expectEqual(
      SwiftSchema(classes).text,
      """
      import Foundation
      import RealmSwift

      final class My_class: Object {
        override class func _realmObjectName() -> String? { "My class" }
        @Persisted var first_name: String
        @Persisted var `default`: Int
        @Persisted var _2nd: Bool
        @Persisted var realm_: Bool

        override class func propertiesMapping() -> [String: String] {
          ["first_name": "first name", "_2nd": "2nd", "realm_": "realm"]
        }
      }

      """)
  }

  @Test func diagramsHaveClassesAndLinks() throws {
    let sample = try SampleRealm()
    let group = try RealmReader(path: sample.path).group
    let text = MermaidSchema(try StoredSchema(group)).text
    #expect(text.hasPrefix("classDiagram\n  class Address {\n    <<embedded>>\n    String city\n"))
    expectTrue(text.contains("    Int id PK\n    String name indexed\n    Date? born\n"))
    expectTrue(text.contains("    List~String~ tags\n"))
    expectTrue(text.contains("  Person *-- \"0..1\" Address : home\n"))
    expectTrue(text.contains("  Dog --> \"*\" Dog : friends\n"))
  }

  @Test func theSchemaForPrograms() throws {
    let sample = try SampleRealm()
    let group = try RealmReader(path: sample.path).group
    let json = SchemaJSON.value(try StoredSchema(group))
    let person = json.array?.first { $0["name"] == .string("Person") }
    expectEqual(person?["primaryKey"], .string("id"))
    let home = person?["properties"]?.array?.first { $0["name"] == .string("home") }
    expectEqual(home?["type"], .string("object"))
    expectEqual(home?["target"], .string("Address"))
    expectEqual(home?["optional"], .bool(true))
  }
}
#endif
