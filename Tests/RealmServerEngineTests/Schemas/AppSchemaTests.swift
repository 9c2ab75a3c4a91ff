// SPDX-License-Identifier: Apache-2.0

// The schema of an app: what it takes, and its file (P4 D).

import RealmDeclarations
import RealmTables
import TestExtensions
import Testing

@testable import RealmServerEngine

struct AppSchemaTests {
  private typealias Property = DeclaredSchema.Property

  private static let todo = SchemaDeclaration.type(
    DeclaredSchema.Class(
      name: "Todo", kind: .topLevel, primaryKey: "_id",
      properties: [Property(name: "_id", type: .objectId)]))
  private static let name = SchemaDeclaration.property(
    Property(name: "name", type: .string), of: "Todo")

  private static func todos() -> AppSchema {
    var schema = AppSchema()
    expectEqual(schema.add(todo), .new)
    expectEqual(schema.add(name), .new)
    return schema
  }

  @Test func whatIsEqualIsKnownAndWhatIsMoreIsAdded() {
    var schema = Self.todos()
    let before = schema
    expectEqual(schema.add(Self.todo), .known)
    expectEqual(schema.add(Self.name), .known)
    expectEqual(schema, before)
    let tags = SchemaDeclaration.property(
      Property(name: "tags", type: .string, collection: .list), of: "Todo")
    expectEqual(schema.finding(tags), .new)
    expectEqual(schema.add(tags), .new)
    expectEqual(schema.finding(tags), .known)
    expectEqual(schema.declared["Todo"]?.properties.map(\.name), ["_id", "name", "tags"])
  }

  /// `AppSchema` 1: each of them would break the program of another device.
  @Test(arguments: [
    Property(name: "name", type: .int),
    Property(name: "name", type: .string, isNullable: true),
    Property(name: "name", type: .string, collection: .list),
    Property(name: "name", type: .link, target: "Todo"),
  ])
  func anotherDefinitionOfAPropertyIsAConflict(_ property: DeclaredSchema.Property) {
    var schema = Self.todos()
    let before = schema
    expectEqual(schema.add(.property(property, of: "Todo")), .conflict)
    expectEqual(schema, before)
  }

  @Test(arguments: [
    (TableKind.embedded, "_id", ColumnType.objectId), (.topLevel, "id", .objectId),
    (.topLevel, "_id", .string),
  ])
  func anotherDefinitionOfAClassIsAConflict(_ kind: TableKind, _ key: String, _ type: ColumnType) {
    var schema = Self.todos()
    let declaration = SchemaDeclaration.type(
      DeclaredSchema.Class(
        name: "Todo", kind: kind, primaryKey: key, properties: [Property(name: key, type: type)]))
    expectEqual(schema.add(declaration), .conflict)
    expectEqual(schema, Self.todos())
  }

  /// Links and mixed values may be missing on all devices, whatever a program declares.
  @Test func whetherLinksAndMixedValuesMayBeMissingIsNoDifference() {
    for type in [ColumnType.link, .mixed] {
      let target = type == .link ? "Todo" : nil
      let first = Property(name: "a", type: type, isNullable: true, target: target)
      let second = Property(name: "a", type: type, isNullable: false, target: target)
      expectTrue(first.fits(second))
    }
  }

  // MARK: The file

  private static let text = #"""
    {"classes":[
      {"name":"Todo","kind":"topLevel","primaryKey":"_id","properties":[
        {"name":"_id","type":"objectId"},
        {"name":"name","type":"string"},
        {"name":"notes","type":"string","collection":"dictionary","optional":true},
        {"name":"parts","type":"object","collection":"list","target":"Part"}
      ]},
      {"name":"Part","kind":"embedded","primaryKey":null,"properties":[
        {"name":"size","type":"double","optional":true}
      ]}
    ]}

    """#

  /// Rules of properties of embedded objects are compared with the class of these.
  @Test func rulesWithinPropertiesAreComparedWithTheClasses() throws {
    let schema = try AppSchema(Array(Self.text.utf8))
    let role = Role("r").reading().hiding("parts.size")
    expectEqual(AppRoles(fallback: [role]).misfits(in: schema), [])
    let other = Role("r").reading().hiding("parts.sise", "name.first", "nom.first")
    expectEqual(
      AppRoles(fallback: [other]).misfits(in: schema),
      [
        #"The role "r" of Todo has rules within name, which has no embedded objects."#,
        #"The role "r" of Todo has a rule for nom, which the class does not have."#,
        #"The role "r" of Todo has a rule for parts.sise, which the class does not have."#,
      ])
  }

  @Test func aFileIsReadAsItWasWritten() throws {
    let schema = try AppSchema(Array(Self.text.utf8))
    expectEqual(schema.text, Self.text)
    expectEqual(schema.declared["Part"]?.kind, .embedded)
    expectEqual(
      schema.finding(
        .property(
          Property(name: "parts", type: .link, collection: .list, target: "Part"), of: "Todo")),
      .known)
    #expect(try AppSchema(Array(AppSchema().text.utf8)).isEmpty)
  }

  @Test(arguments: [
    ("{", "is not JSON"), ("[]", "needs an object here"),
    (#"{"classes":1}"#, "the schema names no classes"),
    (#"{"classes":[],"version":1}"#, "unknown key \"version\""),
    (
      "{\"classes\":[\n {\"name\":\"A\",\"sort\":1,\"properties\":[]}]}",
      "unknown key \"sort\": there are kind, name, primaryKey, properties (line 2, column 14)"
    ),
    (
      #"{"classes":[{"name":"A","properties":[{"name":"a","type":"int","optinal":true}]}]}"#,
      "unknown key \"optinal\""
    ),
    (
      #"{"classes":[{"name":"A","properties":[{"name":"a","type":"number"}]}]}"#,
      "a property of 'A' has no name or type"
    ),
    (
      #"{"classes":[{"name":"A","properties":[{"name":"a","type":"object","target":"B"}]}]}"#,
      "'A.a' links to"
    ),
    (
      #"{"classes":[{"name":"A","primaryKey":"id","properties":[]}]}"#,
      "the properties of 'A' are no properties"
    ),
    (#"{"classes":[{"name":"A","properties":[]},{"name":"A","properties":[]}]}"#, "two classes"),
  ])
  func mistakesAreNamed(_ text: String, _ expected: String) {
    let error = #expect(throws: AppFileError.self) { _ = try AppSchema(Array(text.utf8)) }
    expectEqual(error?.description.contains(expected), true, "\(String(describing: error))")
  }
}
