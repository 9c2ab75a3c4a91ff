// SPDX-License-Identifier: Apache-2.0

// Transactions of the page.

#if Tools
import RealmPages
import RealmStorage
import RealmFormats
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStudio

struct EditingTests {
  /// The whole file as text, from a version of its own.
  private func content(_ path: String) throws -> String {
    let file = try DatabaseFile.open(path: path)
    return "\(try ContentDump(try TableGroup(try file.snapshot())).json())"
  }

  /// `StudioDatabase` 1.
  @Test func editsAreSeenAtOnceAndByOthersAfterTheCommit() async throws {
    let studio = try await TestStudio()
    let key = try await studio.key(of: "Ada")
    let before = try content(studio.path)
    try await studio.post("begin")
    try await studio.edit("set", key, "name", tagged("string", "Anna"))
    try await expectEqual(studio.column("name", ["class": "Person", "sort": "name"])[0], "Anna")
    try expectEqual(content(studio.path), before)
    try await studio.post("commit")
    #expect(try content(studio.path) != before)
    try await expectEqual(studio.value("name", of: key), tagged("string", "Anna"))
  }

  @Test func everyTypeTakesWhatIsWrittenForIt() async throws {
    let studio = try await TestStudio()
    let key = try await studio.key(of: "Bela")
    try await studio.post("begin")
    let values: [(String, JSONValue)] = [
      ("name", tagged("string", "<b>&\u{0}\u{1F600}")), ("age", tagged("int", "-9007199254740993")),
      ("age", .null), ("height", tagged("double", "1.5e-300")), ("born", tagged("date", "-5:-7")),
      ("isMember", tagged("bool", "true")), ("balance", tagged("decimal", "-12.340")),
      ("token", tagged("uuid", "123e4567-e89b-12d3-a456-426614174000")),
      ("extra", tagged("objectId", "0123456789abcdef01234567")),
      ("extra", tagged("date", "12:0")), ("extra", tagged("float", "2.5")), ("photo", .null),
    ]
    for (property, value) in values {
      try await studio.edit("set", key, property, value)
      try await expectEqual(studio.value(property, of: key), value)
    }
    try await studio.edit("set", key, "photo", tagged("data", "AAEC"))
    try await expectEqual(studio.value("photo", of: key)["v"]?.string, "AAEC")
    try await studio.post("commit")
  }

  @Test func collectionsAreEdited() async throws {
    let studio = try await TestStudio()
    let key = try await studio.key(of: "Cleo")
    func texts(_ property: String) async throws -> [String] {
      let elements = try await studio.value(property, of: key)["v"]?.array ?? []
      return elements.map { element in
        guard let entry = element.array else { return TestStudio.text(element) }
        return "\(entry[0].string ?? ""): \(TestStudio.text(entry[1]))"
      }
    }
    try await studio.post("begin")
    try await studio.edit("insert", key, "tags", tagged("string", "x"), path: [.integer(0)])
    try await studio.edit("move", key, "tags", path: [.integer(0)], to: 2)
    try await studio.edit("set", key, "tags", tagged("string", "y"), path: [.integer(1)])
    try await expectEqual(texts("tags"), ["red", "y", "x"])
    try await studio.edit("erase", key, "tags", path: [.integer(0)])
    try await expectEqual(texts("tags"), ["y", "x"])
    try await studio.edit("add", key, "marks", tagged("int", "9"))
    try await studio.edit("discard", key, "marks", tagged("int", "1"))
    try await expectEqual(texts("marks"), ["2", "9"])
    try await studio.edit("set", key, "notes", tagged("string", "z"), path: [.string("more")])
    try await studio.edit("erase", key, "notes", path: [.string("diet")])
    try await expectEqual(texts("notes"), ["more: z"])
    try await studio.edit("clear", key, "notes")
    #expect(try await texts("notes").isEmpty)
    try await studio.edit("embed", key, "places", path: [.integer(0)])
    try await studio.edit(
      "set", key, "places", tagged("string", "Oslo"), path: [.integer(0), .string("city")])
    try await expectEqual(studio.value("places", of: key)["n"]?.integer, 1)
    let list = JSONValue.object([JSONMember("t", .string("list"))])
    try await studio.edit("clear", key, "extra", list)
    #expect(try await texts("extra").isEmpty)
    try await studio.edit("set", key, "extra", .null)
    try await studio.edit("set", key, "extra", list)
    try await studio.edit("insert", key, "extra", tagged("int", "5"), path: [.integer(0)])
    try await expectEqual(texts("extra"), ["5"])
    try await studio.post("commit")
  }

  @Test func linksAreSetByKeyAndByPrimaryKey() async throws {
    let studio = try await TestStudio()
    let key = try await studio.key(of: "Ada")
    let other = try await studio.key(of: "Hugo")
    try await studio.post("begin")
    let byKey = JSONValue.object([
      JSONMember("t", .string("link")), JSONMember("class", .string("Person")),
      JSONMember("key", .string(other)),
    ])
    try await studio.edit("set", key, "friend", byKey)
    try await expectEqual(studio.value("friend", of: key)["v"]?.string, "Hugo")
    let byPrimaryKey = JSONValue.object([
      JSONMember("t", .string("link")), JSONMember("class", .string("Person")),
      JSONMember("primaryKey", .string("2")),
    ])
    try await studio.edit("insert", key, "friends", byPrimaryKey, path: [.integer(0)])
    try await expectEqual(
      studio.value("friends", of: key)["v"]?.array?.first?["v"]?.string, "Bela")
    try await studio.edit("set", key, "extra", byPrimaryKey)
    try await expectEqual(studio.value("extra", of: key)["class"]?.string, "Person")
  }

  /// `Draft` 2.
  @Test func undoingGoesBackStepByStepAndRedoingForth() async throws {
    let studio = try await TestStudio()
    let ada = try await studio.key(of: "Ada")
    try await studio.post("begin")
    func shown() async throws -> String {
      let rows = try await studio.get("rows", ["class": "Person"])["rows"] ?? .null
      let dogs = try await studio.get("rows", ["class": "Dog"])["rows"] ?? .null
      return JSONWriter.text(rows) + JSONWriter.text(dogs)
    }
    var states = [try await shown()]
    let edits: [JSONValue] = [
      TestStudio.edit("set", ada, "name", tagged("string", "Anna")),
      .object([
        JSONMember("kind", .string("create")), JSONMember("class", .string("Person")),
        JSONMember("value", tagged("int", "99")),
      ]),
      .object([
        JSONMember("kind", .string("delete")), JSONMember("class", .string("Person")),
        JSONMember("keys", .array([.string(ada)])),
      ]),
    ]
    for edit in edits {
      try await studio.post("edit", edit)
      states.append(try await shown())
    }
    expectEqual(Set(states).count, 4)
    // The deleted person comes back under the same key, with the links to it.
    for state in states.dropLast().reversed() {
      try await studio.post("undo")
      try await expectEqual(shown(), state)
    }
    for state in states.dropFirst() {
      try await studio.post("redo")
      try await expectEqual(shown(), state)
    }
    try await studio.post("cancel")
    try await expectEqual(shown(), states[0])
  }

  /// `Draft` 1.
  @Test func anEditThatFailsLeavesTheOthersAndNothingOfItself() async throws {
    let studio = try await TestStudio()
    let key = try await studio.key(of: "Ada")
    try await studio.post("begin")
    try await studio.edit("set", key, "name", tagged("string", "Anna"))
    let before = try await studio.get("object", ["class": "Person", "key": key])
    let mistakes: [JSONValue] = [
      TestStudio.edit("set", key, "age", tagged("int", "many")),
      TestStudio.edit("set", key, "name", .null),
      TestStudio.edit("set", key, "id", tagged("int", "5")),
      TestStudio.edit("set", key, "nothing", .null),
      TestStudio.edit("set", "123456", "name", tagged("string", "x")),
      TestStudio.edit("insert", key, "tags", tagged("string", "x"), path: [.integer(7)]),
      TestStudio.edit("erase", key, "tags", path: [.integer(70)]),
      TestStudio.edit("move", key, "tags", path: [.integer(0)], to: -5),
      TestStudio.edit("set", key, "home", tagged("string", "x")),
      TestStudio.edit("set", key, "token", tagged("uuid", "123")),
      TestStudio.edit("set", key, "tags", tagged("string", "x")),
      .object([
        JSONMember("kind", .string("create")), JSONMember("class", .string("Person")),
        JSONMember("value", tagged("int", "1")),
      ]),
      .object([JSONMember("kind", .string("create")), JSONMember("class", .string("Address"))]),
      .object([JSONMember("kind", .string("burn")), JSONMember("class", .string("Person"))]),
    ]
    for mistake in mistakes {
      let (status, json) = try await studio.send(
        studio.request("POST", "/api/files/0/edit", mistake))
      expectTrue((400..<500).contains(status), "\(JSONWriter.text(mistake))")
      expectEqual(json["error"]?.string?.isEmpty, false)
    }
    try await expectEqual(studio.get("object", ["class": "Person", "key": key]), before)
    let draft = try await studio.get("schema")["draft"]
    expectEqual(draft?["edits"]?.integer, 1)
  }

  @Test func aFileHasOneTransactionAndOthersWaitForIt() async throws {
    let studio = try await TestStudio()
    try await studio.post("begin")
    let (status, json) = try await studio.send(studio.request("POST", "/api/files/0/begin"))
    expectEqual(status, 409)
    expectEqual(json["remedy"]?.string, "Commit or cancel it.")
    try await studio.post("cancel")
    try await studio.post("begin")
    try await studio.post("commit")
    let (late, _) = try await studio.send(studio.request("POST", "/api/files/0/commit"))
    expectEqual(late, 409)
  }

  @Test func anIdleTransactionIsCancelled() async throws {
    let studio = try await TestStudio()
    let key = try await studio.key(of: "Ada")
    try await studio.post("begin")
    try await studio.edit("set", key, "name", tagged("string", "Anna"))
    let limit = StudioDatabase.idleTimeMax
    #expect(await studio.database.endIdleDraft(at: .now + limit / 2))
    try await expectEqual(studio.value("name", of: key), tagged("string", "Anna"))
    await expectEqual(studio.database.endIdleDraft(at: .now + limit * 2), false)
    try await expectEqual(studio.value("name", of: key), tagged("string", "Ada"))
    // Another program can write again.
    try SampleFile.write(studio.path) { _ in }
  }

  /// A program that edits without a page has the longer time.
  @Test func aTransactionWhosePagesAreGoneIsCancelled() async throws {
    let studio = try await TestStudio()
    let key = try await studio.key(of: "Ada")
    let absence = StudioDatabase.absenceMax
    try await studio.post("begin")
    #expect(await studio.database.endIdleDraft(at: .now + absence * 2))
    var page: AsyncStream<String>? = studio.service.events.subscribe()
    try await studio.edit("set", key, "name", tagged("string", "Anna"))
    #expect(await studio.database.endIdleDraft(at: .now + absence * 2))
    page = nil
    _ = page
    #expect(await studio.database.endIdleDraft(at: .now + absence * 2.5))
    await expectEqual(studio.database.endIdleDraft(at: .now + absence * 3.5), false)
    try await expectEqual(studio.value("name", of: key), tagged("string", "Ada"))
  }

  @Test func theEndOfStudioCancelsTheTransaction() async throws {
    let studio = try await TestStudio()
    try await studio.post("begin")
    await studio.service.end()
    try SampleFile.write(studio.path) { _ in }
  }
}
#endif
