// SPDX-License-Identifier: Apache-2.0

// Clients that make objects again which they have: older ones replay creations after a reset
// (`UnseenObjects`).

import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import TestExtensions
import Testing

@testable import RealmServerEngine

struct ReplayedCreationTests {
  private typealias Text = ChangesetText

  private struct Case {
    let name: Comment
    /// What the client sees; `x` has the number 1, and the list [20, 10].
    let condition: String
    /// What another client does after the version that the client has.
    var others: [[UInt8]] = []
    /// What the client replays after the creation.
    let replayed: [[UInt8]]
    let list: [Int64]
    /// Whether the client has the object, and is not sent it again.
    var isHeld = true
  }

  private static let append = Text.insert("x", 30, priorSize: 2)

  private static let cases = [
    Case(
      name: "seen in any case", condition: "TRUEPREDICATE", replayed: [append],
      list: [30, 20, 10]),
    Case(
      name: "seen at the base", condition: "count == 1", replayed: [append], list: [30, 20, 10]),
    Case(
      name: "its sizes say so", condition: "count == 1", others: [Text.set("x", count: 1)],
      replayed: [Text.set("x", count: 1), append], list: [30, 20, 10]),
    Case(
      name: "others change the list", condition: "count > 0",
      others: [Text.insert("x", 40, priorSize: 2)], replayed: [append],
      list: [40, 30, 20, 10]),
    Case(
      name: "it has made something, and not seen the object", condition: "count == 7",
      replayed: [
        Text.insert("x", 30, priorSize: 0), Text.insert("x", 31, priorSize: 1),
      ], list: [31, 30, 20, 10], isHeld: false),
  ]

  /// Nothing is counted twice, and nothing is refused.
  @Test func aCreationOfWhatTheClientHasIsNone() async throws {
    for row in Self.cases {
      let (server, scratch) = (try await TestServer(recordsTouches: true), try ViewScratch())
      let other = try await server.realm.allocateFile(for: "other")
      let file = try await server.realm.allocateFile(for: "client")
      let made = [
        Text.schema(), Text.create("x", count: 1), Text.insert("x", 10, priorSize: 0),
        Text.insert("x", 20, priorSize: 1),
      ]
      await expectEqual(server.realm.integrate(Upload(other, made, from: 1)).code, nil, row.name)
      let base = await server.realm.head.version
      let cursor = DownloadCursor(serverVersion: base)
      if !row.others.isEmpty {
        let upload = Upload(other, row.others, from: 5, base: base)
        await expectEqual(server.realm.integrate(upload).code, nil, row.name)
      }
      let query = EffectiveQuery(["Thing": row.condition])
      var upload = Upload(
        file, [Text.create("x")] + row.replayed, from: 1, base: base, time: 200)
      upload.query = query
      await expectEqual(server.realm.integrate(upload).code, nil, row.name)
      let objects = try await server.snapshot().objects
      let things = try #require(try objects.table(named: "class_Thing"))
      let column = try #require(things.schema.column(named: "list"))
      let found = try #require(try things.row(of: .value(.string("x")))).value(of: column)
      expectEqual(found, .list(row.list.map { .int($0) }), row.name)
      // The next change is no other than that of any object.
      var next = Upload(
        file, [Text.set("x", count: 1)], from: 2 + UInt64(row.replayed.count), base: base)
      next.query = query
      await expectEqual(server.realm.integrate(next).code, nil, row.name)
      let answer = try await server.realm.view(
        for: file.ident, after: cursor, query: query, scratch: scratch)
      let entries = try answer.get().round.entries
      expectEqual(entries.count, row.isHeld ? row.others.count : 1, row.name)
      expectEqual(entries.contains { $0.file == .server }, !row.isHeld, row.name)
    }
  }
}
