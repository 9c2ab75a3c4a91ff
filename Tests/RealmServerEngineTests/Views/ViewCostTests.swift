// SPDX-License-Identifier: Apache-2.0

// Long collections and texts of one object are as costly as many objects.

import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import TestExtensions
import Testing

@testable import RealmServerEngine

@Suite(.timeLimit(.minutes(10))) struct ViewCostTests {
  private typealias Text = ChangesetText
  private typealias Bench = ViewSearchTests.Bench

  /// Adds the properties `note`, `texts` and `marks` to the class.
  private static func properties() -> [UInt8] {
    var encoder = ChangesetEncoder()
    let thing = encoder.intern("Thing")
    let columns: [(String, PayloadType, ChangesetCollectionKind)] = [
      ("note", .string, .single), ("texts", .string, .list), ("marks", .int, .set),
    ]
    for (name, type, collection) in columns {
      encoder.append(
        .addColumn(
          .init(
            table: thing, field: encoder.intern(name), type: type, isNullable: false,
            collection: collection)))
    }
    return encoder.bytes
  }

  /// Makes an object with collections of some elements, and with texts of some bytes.
  private static func create(
    _ name: String, count: Int, textByteCount: Int
  ) -> [UInt8] {
    var encoder = ChangesetEncoder()
    let thing = encoder.intern("Thing")
    let key = PrimaryKey.string(encoder.intern(name))
    encoder.append(.createObject(ObjectReference(table: thing, key: key)))
    let text = String(repeating: "x", count: textByteCount)
    encoder.append(
      .update(
        .init(
          path: InstructionPath(table: thing, key: key, field: encoder.intern("note")),
          value: .string(encoder.addBytes(text)))))
    let texts = InstructionPath(
      table: thing, key: key, field: encoder.intern("texts"),
      elements: encoder.addElements([PathElement.index(0)]))
    let first = encoder.addBytes(text)
    encoder.append(.arrayInsert(.init(path: texts, value: .string(first), priorSize: 0)))
    let (list, marks) = (encoder.intern("list"), encoder.intern("marks"))
    for index in 0..<UInt32(count) {
      let path = InstructionPath(
        table: thing, key: key, field: list,
        elements: encoder.addElements([PathElement.index(index)]))
      encoder.append(.arrayInsert(.init(path: path, value: .int(Int64(index)), priorSize: index)))
      encoder.append(
        .setInsert(
          .init(
            path: InstructionPath(table: thing, key: key, field: marks), value: .int(Int64(index))))
      )
    }
    return encoder.bytes
  }

  /// A realm with one object, and the version before the last change of it.
  private func bench(
    count: Int, textByteCount: Int
  ) async throws -> (Bench, ClientFile, UInt64) {
    let bench = try await Bench([
      Text.schema(), Self.properties(),
      Self.create("one", count: count, textByteCount: textByteCount),
      Text.set("one", count: 1),
    ])
    let reader = try await bench.server.realm.allocateFile(for: "reader")
    return (bench, reader, await bench.server.realm.head.version - 1)
  }

  /// Each kind of condition on what an object may have much of.
  private static let conditions = [
    "ANY list == 1", "ALL list >= 0", "NONE list == -1", "list IN {1, 2}",
    "ANY list BETWEEN {1, 2}", "count IN list", "count == ANY list", "list.@count > 3",
    "list.@size > 3", "count >= 0 AND ANY list == 1", "NOT (count < 0 OR ANY list == -1)",
    "ANY marks == 1", "marks.@count > 3", "ANY texts CONTAINS 'y'", "ANY texts ==[c] 'y'",
    "note CONTAINS 'y'", "note LIKE '*y*x?'", "note BEGINSWITH[c] 'y'",
  ]

  @Test(arguments: conditions)
  func whatOneObjectHasMuchOfIsNoShortSearch(condition: String) async throws {
    let query = EffectiveQuery(["Thing": condition])
    let usual = ViewSearch.shortComparisonCountMax
    let (long, reader, version) = try await bench(count: 2_100, textByteCount: 40_000)
    let search = try await long.begin(reader, at: version, query, next: nil, shortest: usual)
    expectTrue(long.thread.hasJob, "made on the thread of the realm")
    _ = try await search.end()
    let (short, other, start) = try await bench(count: 100, textByteCount: 200)
    let end = try await short.begin(other, at: start, query, next: nil, shortest: usual)
    expectFalse(short.thread.hasJob)
    _ = try await end.end()
  }

  /// What the condition does not ask for costs nothing.
  @Test(arguments: ["count >= 0", "note == 'y'", "note < 'y' OR id == 'one'", "TRUEPREDICATE"])
  func otherPropertiesCostNothing(condition: String) async throws {
    let (bench, reader, version) = try await bench(count: 2_100, textByteCount: 40_000)
    let search = try await bench.begin(
      reader, at: version, EffectiveQuery(["Thing": condition]), next: nil,
      shortest: ViewSearch.shortComparisonCountMax)
    expectFalse(bench.thread.hasJob)
    _ = try await search.end()
  }

  /// Conditions that lead to other objects, or compute with collections, are not for subscriptions.
  @Test(arguments: [
    "list.@sum > 3", "list.@max > 3", "SUBQUERY(list, $x, $x > 1).@count > 0", "ANY list == marks",
    "list[0] == 1", "list[*] == 1", "ANY any.@keys == 'a'", "ANY links.list == 1",
    "@links.Thing.links.count == 1",
  ])
  func costsOfOtherKindsAreNotPossible(condition: String) async throws {
    let (bench, _, _) = try await bench(count: 1, textByteCount: 1)
    let query = EffectiveQuery(["Thing": condition])
    let refusal = try await Self.check(query, bench.server.realm, bench.thread)
    expectEqual(refusal?.code, .badQuery)
  }

  /// `ViewFinding.cost` decides whether a finding is brought up to date in the turn to append.
  @Test func touchedObjectsCostWhatTheirCollectionsDo() async throws {
    let (bench, _, version) = try await bench(count: 100, textByteCount: 1)
    let query = EffectiveQuery(["Thing": "ANY list == 1"])
    let snapshot = try await bench.server.realm.store.snapshot(atLeast: version)
    let tables = snapshot.objects
    let found = try ViewSearch.bind([query], to: snapshot, tables.classSchemas(), nil).get()
    let object = ObjectIdentity(className: "Thing", key: .value(.string("one")))
    try expectEqual(View.elementCount(of: [object], by: found, in: tables, limit: 1_000), 100)
    try expectEqual(View.elementCount(of: [object], by: found, in: tables, limit: 7), 7)
    try expectEqual(
      View.elementCount(of: [object, object], by: found + found, in: tables, limit: 1_000), 400)
    let input = ViewInput(
      snapshot: snapshot, unconfirmed: [], unconfirmedObjects: [], start: version, missed: nil,
      timestamp: OriginTimestamp(milliseconds: 1), touched: [object])
    let finding = ViewFinding(
      input: input, schemas: [], views: found, members: [:], selected: Bootstrap.Selected(),
      round: Round(
        ofNothingAfter: DownloadCursor(), to: snapshot.head, file: FileIdentifier.server),
      bootstrap: nil)
    // Two comparisons with the object.
    try expectEqual(finding.cost(of: input, countsObjects: true, limit: 1_000), 102)
    try expectEqual(finding.cost(of: input, countsObjects: true, limit: 7), 9)
  }

  /// All objects together, and each of them.
  @Test func aQueryOfTooManyElementsIsRefused() async throws {
    let (bench, _, _) = try await bench(count: 100, textByteCount: 1)
    let realm = bench.server.realm
    let query = EffectiveQuery(["Thing": "ANY list == 1 OR ANY list == 2"])
    // Two comparisons with the object, and two with each element.
    for (limit, isRefused) in [(201, true), (202, false)] {
      let refusal = try await View.$searchComparisonCountMax.withValue(limit) {
        try await Self.check(query, realm, bench.thread)
      }
      expectEqual(refusal?.code, isRefused ? .badQuery : nil)
      if isRefused {
        expectTrue(refusal?.document.message.contains("too costly for the elements of 1") ?? false)
      }
    }
    for (limit, isRefused) in [(199, true), (200, false)] {
      let refusal = try await View.$objectComparisonCountMax.withValue(limit) {
        try await Self.check(query, realm, bench.thread)
      }
      expectEqual(refusal?.code, isRefused ? .badQuery : nil)
    }
    // A client that comes back was asked when it subscribed.
    let refusal = try await View.$objectComparisonCountMax.withValue(1) {
      try await Self.check(query, realm, bench.thread, countsElements: false)
    }
    expectEqual(refusal?.code, nil)
  }

  private static func check(
    _ query: EffectiveQuery, _ realm: ServerRealm, _ thread: HeldThread,
    countsElements: Bool = true
  ) async throws -> SessionRefusal? {
    let isOver = Locked(false)
    async let refusal = {
      defer { isOver.withLock { $0 = true } }
      return try await realm.check(query, countsElements: countsElements, of: "reader")
    }()
    while !isOver.withLock({ $0 }) {
      thread.runOne()
      await Task.yield()
    }
    return try await refusal
  }

  /// An object that grew after the subscription was made: its thread would do nothing else.
  @Test func aRoundWithTooLongACollectionIsRefused() async throws {
    let (bench, reader, version) = try await bench(count: 100, textByteCount: 1)
    let query = EffectiveQuery(["Thing": "ANY list == 1"])
    for (limit, isRefused) in [(99, true), (100, false)] {
      try await View.$objectComparisonCountMax.withValue(limit) {
        let search = try await bench.begin(reader, at: version, query, next: nil)
        if isRefused {
          let error = await #expect(throws: SessionRefusal.self) { _ = try await search.end() }
          expectEqual(error?.code, .sessionClosed)
        } else {
          _ = try await search.end()
        }
      }
    }
  }
}
