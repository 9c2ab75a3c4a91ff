// SPDX-License-Identifier: Apache-2.0

// Streams of changes.

#if Server
import RealmFormats
import RealmStorage
import RealmSyncProtocol
import TestExtensions
import Testing

@testable import RealmServerEngine
@testable import RealmServerServices

struct DocumentWatchTests {
  private static func access(_ user: String, session: String = "s") -> UserAccess {
    UserAccess(
      account: Account(id: user, created: OriginTimestamp(milliseconds: 0)), session: session)
  }

  private static func watch(
    _ bench: DocumentBench, _ members: String = "", as user: String = "u"
  ) async throws(DocumentError) -> DocumentWatch {
    let rest = members.isEmpty ? "" : "," + members
    let text = #"{"database":"db","collection":"Thing"\#(rest)}"#
    guard let arguments = try? ExtendedJSONReader.parse(text) else {
      throw .badArgument("no extended JSON: \(text)")
    }
    return try await bench.service.watch([arguments], user: access(user))
  }

  /// The next events without their tokens.
  private static func next(
    _ events: inout DocumentWatch.Events
  ) async throws -> [String] {
    while let group = try await events.next() {
      if group.isEmpty { continue }
      return group.map { event in
        DocumentBench.text(
          .document((event.elements ?? []).filter { $0.key != "_id" && $0.key != "ns" }))
      }
    }
    return ["the end"]
  }

  @Test(arguments: [SyncModeCase.flexible, .partition])
  func changesAreEvents(mode: SyncModeCase) async throws {
    let bench = try DocumentBench(mode: mode == .flexible ? .flexible : .partition)
    let (field, query) =
      mode == .flexible ? ("", "") : (#","_partition":"p""#, #","_partition":"p""#)
    let shown = mode == .flexible ? "" : #","_partition":"p""#
    let filter = mode == .flexible ? "" : #""filter":{"fullDocument._partition":"p"}"#
    let watch = try await Self.watch(bench, filter)
    var events = watch.makeEvents()
    try await expectEqual(events.next(), [])
    try await bench.call("insertOne", #""document":{"_id":1,"s":"a"\#(field)}"#)
    try await expectEqual(
      Self.next(&events),
      [
        #"{"operationType":"insert","documentKey":{"_id":1},"fullDocument":{"_id":1,"n":0,"#
          + #""s":"a","b":false,"f":0.0,"list":[],"set":[],"map":{},"places":[],"#
          + #""owners":[]\#(shown)}}"#
      ])
    try await bench.call(
      "updateOne", #""query":{"_id":1\#(query)},"update":{"$set":{"n":4},"$unset":{"s":""}}"#)
    let update = try await Self.next(&events)
    #expect(
      update.count == 1
        && update[0].hasPrefix(#"{"operationType":"update","documentKey":{"_id":1},"#))
    #expect(
      update[0].hasSuffix(#""updateDescription":{"updatedFields":{"n":4},"removedFields":["s"]}}"#))
    // Several versions between two looks are one event of each document.
    try await bench.call("insertOne", #""document":{"_id":2\#(field)}"#)
    try await bench.call("updateOne", #""query":{"_id":2\#(query)},"update":{"$set":{"n":7}}"#)
    try await bench.call("insertOne", #""document":{"_id":3\#(field)}"#)
    try await bench.call("deleteMany", #""query":{"_id":{"$in":[1,3]}\#(query)}"#)
    let last = try await Self.next(&events)
    if mode == .flexible {
      expectEqual(last.count, 2, "\(last)")
      #expect(last.contains(#"{"operationType":"delete","documentKey":{"_id":1}}"#))
      #expect(last.contains { $0.hasPrefix(#"{"operationType":"insert","documentKey":{"_id":2}"#) })
    } else {
      // The filter asks for a field of the document, which is gone with it.
      expectEqual(last.count, 1, "\(last)")
    }
  }

  enum SyncModeCase: Sendable { case flexible, partition }

  @Test func aStreamGoesOnAfterAToken() async throws {
    let bench = try DocumentBench()
    try await bench.call("insertOne", #""document":{"_id":1}"#)
    let watch = try await Self.watch(bench)
    var events = watch.makeEvents()
    try await expectEqual(events.next(), [])
    try await bench.call("insertMany", #""documents":[{"_id":2},{"_id":3}]"#)
    let group = try #require(try await events.next())
    expectEqual(group.count, 2)
    let tokens = group.compactMap { $0["_id"].map { ExtendedJSONWriter.text($0) } }
    // Who got a part of a group gets all of it again.
    var again = try await Self.watch(bench, "\"resumeAfter\":\(tokens[0])").makeEvents()
    try await expectEqual(Self.next(&again).count, 2)
    var after = try await Self.watch(bench, "\"resumeAfter\":\(tokens[1])").makeEvents()
    try await expectEqual(after.next(), [])
    try await bench.call("deleteOne", #""query":{"_id":3}"#)
    try await expectEqual(
      Self.next(&after), [#"{"operationType":"delete","documentKey":{"_id":3}}"#])
    for token in [#"{"_data":"1-1"}"#, #"{"_data":"ff-1"}"#] {
      await #expect(throws: DocumentError.resumeLost) {
        try await Self.watch(bench, "\"resumeAfter\":\(token)")
      }
    }
    await #expect(throws: DocumentError.self) { try await Self.watch(bench, #""resumeAfter":"x""#) }
  }

  @Test func idsAndFiltersSelectEvents() async throws {
    let bench = try DocumentBench()
    var byID = try await Self.watch(bench, #""ids":[2]"#).makeEvents()
    var byFilter = try await Self.watch(
      bench, #""filter":{"fullDocument.n":{"$gt":4},"operationType":"insert"}"#
    ).makeEvents()
    _ = (try await byID.next(), try await byFilter.next())
    try await bench.call("insertMany", #""documents":[{"_id":1,"n":5},{"_id":2,"n":1}]"#)
    try await expectEqual(Self.next(&byID).map { $0.contains(#""_id":2"#) }, [true])
    try await expectEqual(Self.next(&byFilter).map { $0.contains(#""_id":1"#) }, [true])
    await #expect(throws: DocumentError.self) {
      try await Self.watch(bench, #""filter":{"$where":1}"#)
    }
  }

  /// What a user may not read has no event, and what it may read no more is gone.
  @Test func eventsAreThoseThatTheUserMayRead() async throws {
    let roles = #"""
      {"classes":{"Thing":[
        {"name":"editor","apply_when":{"%%user.id":"root"},
         "read":true,"write":true,"insert":true,"delete":true},
        {"name":"user","apply_when":{},"read":true,
         "document_filters":{"read":{"b":true}},"fields":{"secret":{"read":false}}}
      ]}}
      """#
    let bench = try DocumentBench(roles: roles)
    var events = try await Self.watch(bench, as: "ann").makeEvents()
    try await expectEqual(events.next(), [])
    try await bench.call(
      "insertMany", #""documents":[{"_id":1,"b":true,"secret":"x"},{"_id":2}]"#, as: "root")
    let inserted = try await Self.next(&events)
    #expect(inserted.count == 1 && inserted[0].contains(#""_id":1"#))
    expectFalse(inserted[0].contains("secret"))
    // A hidden property: no event.
    try await bench.call("updateMany", #""query":{},"update":{"$set":{"secret":"y"}}"#, as: "root")
    try await expectEqual(events.next(), [])
    try await bench.call(
      "updateMany", #""query":{},"update":{"$set":{"b":true}}"#,
      as: "root")
    let appeared = try await Self.next(&events)
    expectEqual(appeared.count, 1)
    #expect(appeared[0].hasPrefix(#"{"operationType":"insert","documentKey":{"_id":2}"#))
    try await bench.call("updateMany", #""query":{},"update":{"$set":{"b":false}}"#, as: "root")
    try await expectEqual(
      Self.next(&events).sorted(),
      [
        #"{"operationType":"delete","documentKey":{"_id":1}}"#,
        #"{"operationType":"delete","documentKey":{"_id":2}}"#,
      ])
    try await bench.call("deleteMany", #""query":{}"#, as: "root")
    try await expectEqual(events.next(), [])
  }

  /// `DocumentService` 1
  @Test(.timeLimit(.minutes(10))) func callsAndStreamsHaveTheRightsOfTheirTime() async throws {
    func roles(_ isReader: Bool) -> String {
      #"{"classes":{"Thing":[{"name":"r","apply_when":{"%%user.id":"root"},"read":true,"#
        + #""write":true,"insert":true,"delete":true},"#
        + #"{"name":"u","apply_when":{},"read":\#(isReader)}]}}"#
    }
    let bench = try DocumentBench(roles: roles(true))
    var events = try await Self.watch(bench, as: "ann").makeEvents()
    try await expectEqual(events.next(), [])
    try await bench.call("insertOne", #""document":{"_id":1}"#, as: "root")
    expectTrue(try await Self.next(&events)[0].hasPrefix(#"{"operationType":"insert""#))
    try await expectEqual(bench.text("count", #""query":{}"#, as: "ann"), "1")
    // The rules change while the stream is open: what is written then is gone for the user.
    bench.app.access = try DocumentBench.access(roles(false), .flexible)
    try await expectEqual(bench.text("count", #""query":{}"#, as: "ann"), "0")
    try await bench.call("insertOne", #""document":{"_id":2}"#, as: "root")
    try await bench.call(
      "updateOne", #""query":{"_id":1},"update":{"$set":{"n":7}}"#, as: "root")
    try await expectEqual(
      Self.next(&events), [#"{"operationType":"delete","documentKey":{"_id":1}}"#])
    bench.app.access = try DocumentBench.access(roles(true), .flexible)
    try await bench.call("insertOne", #""document":{"_id":3}"#, as: "root")
    let last = try await Self.next(&events)
    expectEqual(last.count, 1)
    expectTrue(last[0].hasPrefix(#"{"operationType":"insert","documentKey":{"_id":3}"#))
    try await expectEqual(bench.text("count", #""query":{}"#, as: "ann"), "3")
  }

  @Test func streamsHaveALimit() async throws {
    let bench = try DocumentBench(limits: DocumentLimits(streamsPerUser: 2, streamCount: 3))
    var watches = [try await Self.watch(bench), try await Self.watch(bench)]
    await #expect(throws: DocumentError.busy) { try await Self.watch(bench) }
    watches.append(try await Self.watch(bench, as: "v"))
    await #expect(throws: DocumentError.busy) { try await Self.watch(bench, as: "w") }
    expectEqual(bench.service.watchCount, 3)
    watches.removeAll()
    expectEqual(bench.service.watchCount, 0)
    _ = try await Self.watch(bench)
  }

  @Test func streamsEndWithTheAccessOfTheirUsers() async throws {
    let bench = try DocumentBench()
    let watches = [
      try await Self.watch(bench), try await Self.watch(bench, as: "v"),
    ]
    var first = watches[0].makeEvents()
    var second = watches[1].makeEvents()
    _ = (try await first.next(), try await second.next())
    bench.service.endWatches(.account("u"))
    try await expectEqual(first.next(), nil)
    bench.service.endWatches(.session("s"))
    try await expectEqual(second.next(), nil)
    bench.service.endWatches()
    await #expect(throws: DocumentError.busy) { try await Self.watch(bench) }
  }

  @Test func aStreamIsTextOfItsEvents() async throws {
    let bench = try DocumentBench()
    var parts = EventStream(try await Self.watch(bench, #""ids":["100%"]"#)).makeParts()
    await expectEqual(parts.next(), Array(":\n".utf8))
    let watch = try await Self.watch(bench)
    var texts = EventStream(watch).makeParts()
    _ = await texts.next()
    try await bench.call("insertOne", #""document":{"_id":1,"s":"100%\n"}"#)
    let text = String(decoding: try #require(await texts.next()), as: UTF8.self)
    #expect(text.hasPrefix("data: {\"_id\":{\"_data\":\""))
    expectTrue(text.hasSuffix("}\n\n"))
    #expect(text.contains(#""s":"100%25\n""#))
  }
}
#endif
