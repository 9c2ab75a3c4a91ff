// SPDX-License-Identifier: Apache-2.0

// What pages hear of commits.

#if Tools
import RealmFormats
import RealmPages
import RealmTables
import TestExtensions
import Testing

@testable import RealmStudio

struct EventTests {
  /// The next event of a kind.
  private func next(
    _ kind: String, of iterator: inout AsyncStream<String>.Iterator
  ) async throws -> JSONValue {
    while let message = await iterator.next() {
      guard message.hasPrefix("data: ") else { continue }
      let json = try JSONParser.parse(String(message.dropFirst(6).dropLast(2)))
      if json["kind"]?.string == kind { return json }
    }
    throw CancellationError()
  }

  private func stream(_ studio: TestStudio) async throws -> AsyncStream<String> {
    let response = await studio.service.respond(to: studio.request("GET", "/api/events"))
    guard case .events(let stream) = response.body else { throw CancellationError() }
    return stream
  }

  @Test func aCommitIsReportedWithItsCells() async throws {
    let studio = try await TestStudio()
    var events = try await stream(studio).makeAsyncIterator()
    _ = try await next("hello", of: &events)
    try SampleFile.write(studio.path) { group in
      let table = try #require(try group.table(named: "class_Person"))
      let key = try #require(try table.findRow(primaryKey: 1)?.key)
      try table.set(.string("Anna"), table.named("name"), key)
      _ = try table.createObject(primaryKey: .int(50))
      let dogs = try #require(try group.table(named: "class_Dog"))
      try dogs.deleteAll()
    }
    let event = try await next("version", of: &events)
    let classes = try #require(event["classes"]?.array)
    let person = try #require(classes.first { $0["name"]?.string == "Person" })
    expectEqual(person["count"]?.integer, 9)
    expectEqual(person["inserted"]?.array?.count, 1)
    let key = try await studio.key(of: "Anna")
    expectEqual(person["modified"]?[key], .array([.string("name")]))
    let dog = try #require(classes.first { $0["name"]?.string == "Dog" })
    expectEqual(dog["count"]?.integer, 0)
    expectEqual(dog["deleted"]?.integer, 3)
    expectEqual(event["schemaChanged"]?.bool, false)
    try await expectEqual(studio.get("schema")["version"], event["version"])
  }

  @Test func newClassesAreReported() async throws {
    let studio = try await TestStudio()
    var events = try await stream(studio).makeAsyncIterator()
    try SampleFile.write(studio.path) { group in
      _ = try group.createTable(named: "class_Cat")
    }
    let event = try await next("version", of: &events)
    expectEqual(event["schemaChanged"]?.bool, true)
    let classes = try await studio.get("schema")["classes"]?.array
    expectEqual(classes?.last?["name"]?.string, "Cat")
  }

  @Test func everyPageSeesTheStateOfTheTransaction() async throws {
    let studio = try await TestStudio()
    var first = try await stream(studio).makeAsyncIterator()
    var second = try await stream(studio).makeAsyncIterator()
    try await studio.post("begin")
    try await expectEqual(next("draft", of: &first)["draft"]?["edits"]?.integer, 0)
    try await expectEqual(next("draft", of: &second)["draft"]?["edits"]?.integer, 0)
    try await studio.post("cancel")
    try await expectEqual(next("draft", of: &first)["draft"], .null)
  }

  @Test func streamsEndWithStudioAndWithTheirPages() async throws {
    let studio = try await TestStudio()
    do {
      var gone = try await stream(studio).makeAsyncIterator()
      _ = try await next("hello", of: &gone)
      expectEqual(studio.service.events.count, 1)
    }
    expectEqual(studio.service.events.count, 0)
    let stream = try await stream(studio)
    await studio.service.end()
    for await _ in stream {}
    expectEqual(studio.service.events.count, 0)
    for await _ in try await self.stream(studio) {}
  }
}
#endif
