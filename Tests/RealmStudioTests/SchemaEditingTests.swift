// SPDX-License-Identifier: Apache-2.0

// New classes and properties, and results as text, as requests.

#if Tools
import Foundation
import RealmPages
import RealmStorage
import RealmFormats
import RealmTables
import TestExtensions
import Testing

@testable import RealmStudio

struct SchemaEditingTests {
  private func member(_ name: String, _ text: String) -> JSONMember {
    JSONMember(name, .string(text))
  }

  private func newClass(_ name: String, _ others: JSONMember...) -> JSONValue {
    .object([member("kind", "createClass"), member("class", name)] + others)
  }

  private func newProperty(
    _ name: String, _ type: String, of owner: String, _ others: JSONMember...
  ) -> JSONValue {
    .object(
      [
        member("kind", "addProperty"), member("class", owner), member("property", name),
        member("type", type),
      ] + others)
  }

  private func names(_ studio: TestStudio) async throws -> [String] {
    try await studio.get("schema")["classes"]?.array?.compactMap { $0["name"]?.string } ?? []
  }

  @Test func classesAndPropertiesOfEveryTypeAreCreated() async throws {
    let studio = try await TestStudio()
    try await studio.post("begin")
    try await studio.post(
      "edit", newClass("Cat", member("property", "id"), member("type", "uuid")))
    try await studio.post("edit", newClass("Collar", JSONMember("isEmbedded", .bool(true))))
    let types = [
      "int", "bool", "string", "data", "mixed", "date", "float", "double", "decimal", "objectId",
      "uuid",
    ]
    for type in types {
      try await studio.post("edit", newProperty("one_\(type)", type, of: "Cat"))
      for collection in ["list", "set", "dictionary"] {
        try await studio.post(
          "edit",
          newProperty(
            "\(collection)_\(type)", type, of: "Person", member("collection", collection),
            JSONMember("isOptional", .bool(true))))
      }
    }
    try await studio.post(
      "edit", newProperty("collar", "link", of: "Cat", member("target", "Collar")))
    try await studio.post(
      "edit", newProperty("rank", "int", of: "Person", JSONMember("isIndexed", .bool(true))))
    // The objects that are there have the default value.
    let key = try await studio.key(of: "Ada")
    try await expectEqual(studio.value("rank", of: key), tagged("int", "0"))
    try await studio.post("commit")
    try await expectEqual(names(studio), ["Address", "Person", "Dog", "Cat", "Collar"])
    try await expectEqual(studio.value("set_string", of: key)["n"]?.integer, 0)
    try SampleFile.write(studio.path) { group in
      let cat = try #require(try group.table(named: "class_Cat"))
      let collar = try #require(try group.table(named: "class_Collar"))
      let person = try #require(try group.table(named: "class_Person"))
      #expect(try cat.named("id").isPrimaryKey)
      expectEqual(collar.schema.kind, .embedded)
      try expectEqual(cat.named("collar").targetTable, collar.key)
      #expect(try person.named("rank").isIndexed)
      #expect(try person.named("list_int").isNullable)
      try expectEqual(cat.named("one_int").isNullable, false)
    }
  }

  /// `Draft` 3.
  @Test func aClassThatWasUndoneLeavesNoName() async throws {
    let studio = try await TestStudio()
    let before = try await names(studio)
    try await studio.post("begin")
    try await studio.post("edit", newClass("Cat"))
    try await expectEqual(names(studio), before + ["Cat"])
    try await studio.post("undo")
    try await expectEqual(names(studio), before)
    try await studio.post("edit", newClass("Bird"))
    try await expectEqual(names(studio), before + ["Bird"])
    try await studio.post("commit")
    try await expectEqual(names(studio), before + ["Bird"])
    try await studio.post("begin")
    try await studio.post("edit", newProperty("wings", "int", of: "Bird"))
    try await studio.post("cancel")
    let classes = try await studio.get("schema")["classes"]?.array
    expectEqual(classes?.last?["properties"]?.array?.isEmpty, true)
  }

  @Test func wrongClassesAndPropertiesAreRefused() async throws {
    let studio = try await TestStudio()
    try await studio.post("begin")
    let mistakes: [(JSONValue, String)] = [
      (newClass(""), "no name"), (newClass("1st"), "no name"), (newClass("a b"), "no name"),
      (newClass(String(repeating: "x", count: 58)), "no name"), (newClass("Dog"), "already"),
      (newClass("Cat", member("property", "id"), member("type", "double")), "primary key"),
      (newProperty("", "int", of: "Dog"), "no name"),
      (newProperty("name", "int", of: "Dog"), "already"),
      (newProperty("x", "number", of: "Dog"), "type"),
      (newProperty("x", "int", of: "Nobody"), "no class"),
      (newProperty("x", "link", of: "Dog"), "target"),
      (newProperty("x", "link", of: "Dog", member("target", "Nobody")), "no class"),
      (
        newProperty(
          "x", "link", of: "Dog", member("target", "Address"), member("collection", "set")),
        "embedded"
      ),
      (newProperty("x", "int", of: "Dog", member("collection", "bag")), "collection"),
      (newProperty("x", "double", of: "Dog", JSONMember("isIndexed", .bool(true))), "indexed"),
    ]
    for (mistake, text) in mistakes {
      let (status, json) = try await studio.send(
        studio.request("POST", "/api/files/0/edit", mistake))
      expectTrue((400..<500).contains(status))
      expectEqual(json["error"]?.string?.contains(text), true, "\(JSONWriter.text(json))")
    }
    try await expectEqual(studio.get("schema")["draft"]?["edits"]?.integer, 0)
  }

  // MARK: - Renaming and removing

  private func change(_ kind: String, _ name: String, _ others: JSONMember...) -> JSONValue {
    .object([member("kind", kind), member("class", name)] + others)
  }

  private func properties(of name: String, _ studio: TestStudio) async throws -> [String] {
    let classes = try #require(try await studio.get("schema")["classes"]?.array)
    let own = try #require(classes.first { $0["name"]?.string == name })
    return own["properties"]?.array?.compactMap { $0["name"]?.string } ?? []
  }

  /// `Draft` 2: an undone edit comes back.
  @Test func classesAndPropertiesAreRenamedAndRemoved() async throws {
    let studio = try await TestStudio()
    try await studio.post("begin")
    try await studio.post("edit", change("renameClass", "Dog", member("to", "Puppy")))
    try await studio.post(
      "edit", change("renameProperty", "Puppy", member("property", "weight"), member("to", "mass")))
    try await studio.post("edit", change("removeProperty", "Puppy", member("property", "owner")))
    try await expectEqual(properties(of: "Puppy", studio), ["name", "mass"])
    try await studio.post("undo")
    try await expectEqual(properties(of: "Puppy", studio), ["name", "mass", "owner"])
    try await studio.post("redo")
    try await studio.post("commit")
    try await expectEqual(names(studio), ["Address", "Person", "Puppy"])
    try await expectEqual(
      studio.column("mass", ["class": "Puppy"]), ["3.0", "7.5", "12.0"])
    try await studio.post("begin")
    try await studio.post("edit", change("removeClass", "Puppy"))
    try await studio.post("commit")
    try await expectEqual(names(studio), ["Address", "Person"])
    try SampleFile.write(studio.path) { group in
      let dog = try group.table(named: "class_Dog")
      #expect(dog == nil)
    }
  }

  @Test func whatOthersNeedIsNeitherRenamedNorRemoved() async throws {
    let studio = try await TestStudio()
    try await studio.post("begin")
    let mistakes: [(JSONValue, String)] = [
      (change("renameClass", "Dog", member("to", "Person")), "already"),
      (change("renameClass", "Dog", member("to", "a b")), "no name"),
      (change("renameClass", "Dog"), "no name"),
      (change("renameClass", "Cat", member("to", "Lion")), "no class"),
      (change("removeClass", "Person"), "'Dog.owner' leads to it"),
      (change("removeClass", "Address"), "'Person.home' leads to it"),
      (change("removeClass", "Cat"), "no class"),
      (
        change("renameProperty", "Dog", member("property", "name"), member("to", "weight")),
        "already"
      ),
      (change("renameProperty", "Dog", member("property", "x"), member("to", "y")), "no property"),
      (change("removeProperty", "Dog", member("property", "x")), "no property"),
      (change("removeProperty", "Person", member("property", "id")), "is the primary key"),
    ]
    for (mistake, text) in mistakes {
      let (status, json) = try await studio.send(
        studio.request("POST", "/api/files/0/edit", mistake))
      expectTrue((400..<500).contains(status), "\(JSONWriter.text(json))")
      expectEqual(json["error"]?.string?.contains(text), true, "\(JSONWriter.text(json))")
    }
    try await expectEqual(studio.get("schema")["draft"]?["edits"]?.integer, 0)
  }

  // MARK: - Results as text

  private func result(
    _ studio: TestStudio, _ parameters: [String: String]
  ) async throws -> (text: String, headers: [String: String]) {
    let response = await studio.service.respond(
      to: studio.request("GET", TestStudio.target("result", parameters)))
    let headers = Dictionary(response.headers.map { ($0.name, $0.value) }) { _, last in last }
    var text = ""
    switch response.body {
    case .pieces(let stream): for try await piece in stream { text += piece }
    case .bytes(let bytes): text = String(decoding: bytes, as: UTF8.self)
    case .events: Issue.record("a result is no stream of events")
    }
    return (text, headers)
  }

  @Test func aResultIsWholeInItsOrderWithItsColumns() async throws {
    let count = ResultExport.pieceCount * 2
    let studio = try await TestStudio { try SampleFile.makeReadings($0, count: count) }
    let json = try await result(studio, ["class": "Reading"])
    let rows = try #require(try JSONParser.parse(Array(json.text.utf8)).array)
    expectEqual(rows.map { $0["index"]?.integer }, (0..<count).map { Int64($0) })
    expectEqual(json.headers["Content-Disposition"], #"attachment; filename="Reading.json""#)
    let csv = try await result(
      studio,
      [
        "class": "Reading", "format": "csv", "query": "index < 3", "sort": "index",
        "descending": "true", "columns": #"["name","index"]"#,
      ])
    let lines = csv.text.split(separator: "\r\n")
    expectEqual(lines.first, "name,index")
    expectEqual(lines.dropFirst().map { $0.split(separator: ",").last }, ["2", "1", "0"])
    expectEqual(csv.headers["Content-Type"], "text/csv; charset=utf-8")
    let none = try await result(studio, ["class": "Reading", "query": "index < 0"])
    try expectEqual(JSONParser.parse(Array(none.text.utf8)), .array([]))
    try await expectEqual(
      studio.failure("result", ["class": "Reading", "query": "nme == 1"]).0, 400)
    try await expectEqual(
      studio.failure("result", ["class": "Reading", "columns": #"["x"]"#]).0, 404)
    try await expectEqual(studio.failure("result", ["class": "Reading", "format": "xml"]).0, 400)
  }

  @Test func aResultOfATransactionHasItsEdits() async throws {
    let studio = try await TestStudio()
    try await studio.post("begin")
    try await studio.edit("set", try await studio.key(of: "Ada"), "name", tagged("string", "Anna"))
    let edited = try await result(
      studio,
      ["class": "Person", "query": "id == 1", "columns": #"["name"]"#])
    expectEqual(edited.text, "[\n{\"name\":\"Anna\"}\n]\n")
  }
}
#endif
