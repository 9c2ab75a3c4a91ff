// SPDX-License-Identifier: Apache-2.0

// Calls whose changes were found in an earlier version than the one that they are carried out in.

#if Server
import RealmFormats
import RealmStorage
import RealmSyncProtocol
import RealmTestSupport
import RealmText
import TestExtensions
import Testing

@testable import RealmServerEngine
@testable import RealmServerServices

struct DocumentDraftTests {
  /// A realm with few documents, and calls that are drafted before others are carried out.
  private struct Realm {
    let bench: DocumentBench
    let realm: ServerRealm
    private let worker = DocumentWorker()

    init(limits: DocumentLimits = DocumentLimits()) async throws {
      bench = try DocumentBench(limits: limits)
      for id in 0..<4 {
        try await bench.call("insertOne", #""document":{"_id":\#(id),"n":\#(id),"s":"a"}"#)
      }
      realm = try await bench.realm()
    }

    func call(_ name: String, _ members: String) throws -> DocumentCall {
      let arguments = try ExtendedJSONReader.parse(
        #"{"database":"db","collection":"Thing",\#(members)}"#)
      return DocumentCall(
        command: try DocumentCommand(name, arguments), rights: .all, partition: nil,
        work: DocumentWork(bench.service.limits, now: { 0 }),
        identifiers: { ObjectIDBits(high: 0, low: 0) })
    }

    func draft(_ call: DocumentCall) async throws -> DocumentDraft? {
      let snapshot = try #require(try await realm.draftSnapshot(for: call.command))
      return try await worker.draft(
        call, in: snapshot, now: OriginTimestamp(milliseconds: 1_000_000))
    }

    var documents: String {
      get async throws { try await bench.text("find", #""query":{},"sort":{"_id":1}"#) }
    }
  }

  @Test(arguments: [
    // Nothing else happens.
    (#""query":{"n":{"$gt":1}}"#, "", true),
    // Another object changes, or one that was found, or one comes to match, or a new one does.
    (
      #""query":{"n":{"$gt":1}}"#, #"updateOne "query":{"_id":0},"update":{"$set":{"s":"b"}}"#, true
    ),
    (
      #""query":{"n":{"$gt":1}}"#, #"updateOne "query":{"_id":2},"update":{"$set":{"s":"b"}}"#,
      false
    ),
    (#""query":{"n":{"$gt":1}}"#, #"updateOne "query":{"_id":0},"update":{"$set":{"n":9}}"#, false),
    (#""query":{"n":{"$gt":1}}"#, #"insertOne "document":{"_id":9,"n":9}"#, false),
    (#""query":{"n":{"$gt":1}}"#, #"insertOne "document":{"_id":9,"n":0}"#, true),
    (#""query":{"n":{"$gt":1}}"#, #"deleteOne "query":{"_id":3}"#, false),
    // Nothing was found, so what comes to match counts.
    (#""query":{"n":7}"#, #"insertOne "document":{"_id":9,"n":7}"#, false),
  ])
  func aDraftHoldsUnlessItsObjectsChange(
    _ query: String, _ other: String, _ holds: Bool
  ) async throws {
    let realm = try await Realm()
    let call = try realm.call("updateMany", query + #","update":{"$set":{"s":"x"}}"#)
    let draft = try #require(try await realm.draft(call))
    let parts = other.split(separator: " ", maxSplits: 1).map(String.init)
    if parts.count == 2 { try await realm.bench.call(parts[0], parts[1]) }
    let before = try await realm.documents
    let result = try await realm.realm.carryOut(call, draft)
    expectEqual(result != nil, holds)
    if !holds { try await expectEqual(realm.documents, before) }
  }

  /// A draft that is carried out gives what the call would have given in its turn.
  /// `ServerRealm+Edits` 2
  @Test func draftsAreWhatTheCallWouldGive() async throws {
    var (heldCount, outdatedCount) = (0, 0)
    for seed in 1...60 as ClosedRange<UInt64> {
      var generator = SeededGenerator(seed: seed)
      let (first, second) = (try await Realm(), try await Realm())
      let (name, members) = Self.call(&generator)
      let others = (0..<Int.random(in: 0...2, using: &generator)).map { _ in
        Self.call(&generator)
      }
      let call = try first.call(name, members)
      let draft = try #require(try await first.draft(call))
      for (name, members) in others {
        for bench in [first.bench, second.bench] {
          _ = try? await bench.call(name, members)
        }
      }
      var result = try await first.realm.carryOut(call, draft)
      if result == nil {
        outdatedCount += 1
        result = try await first.realm.carryOut(call)
      } else if !others.isEmpty {
        heldCount += 1
      }
      let expected = try await second.realm.carryOut(second.call(name, members))
      expectEqual(result, expected, "seed \(seed): \(name) \(members) after \(others)")
      try await expectEqual(first.documents, second.documents, "seed \(seed)")
    }
    expectTrue(heldCount > 5, "\(heldCount)")
    expectTrue(outdatedCount > 5, "\(outdatedCount)")
  }

  /// A call that changes all or the first of an order, of objects that are few.
  private static func call(
    _ generator: inout SeededGenerator
  ) -> (name: String, members: String) {
    let number = Int.random(in: 0...5, using: &generator)
    let query =
      [
        #"{"n":\#(number)}"#, #"{"n":{"$gte":\#(number)}}"#, #"{"_id":{"$lt":\#(number)}}"#,
        #"{"s":{"$regex":"[ab]"}}"#,
      ].randomElement(using: &generator) ?? "{}"
    let update =
      [
        #"{"$set":{"n":\#(number)}}"#, #"{"$inc":{"n":1}}"#, #"{"$set":{"s":"c"}}"#,
      ].randomElement(using: &generator) ?? "{}"
    return switch Int.random(in: 0..<5, using: &generator) {
    case 0: ("updateMany", #""query":\#(query),"update":\#(update)"#)
    case 1: ("deleteMany", #""query":\#(query)"#)
    case 2:
      (
        "findOneAndUpdate",
        #""filter":\#(query),"update":\#(update),"sort":{"n":-1,"_id":1},"returnNewDocument":true"#
      )
    case 3: ("findOneAndDelete", #""filter":\#(query),"sort":{"_id":-1}"#)
    default:
      (
        "updateMany",
        #""query":{"_id":\#(number + 4)},"update":{"$set":{"n":\#(number)}},"upsert":true"#
      )
    }
  }

  /// The turn of a call has so little time that nothing can be searched in it.
  @Test func aSearchIsNotInTheTurn() async throws {
    let realm = try await Realm(limits: DocumentLimits(turnTime: 0))
    realm.bench.time.withLock { $0.step = 1 }
    let time = realm.bench.time
    var call = try realm.call(
      "updateMany", #""query":{"s":{"$regex":"a"}},"update":{"$inc":{"n":1}}"#)
    call.work = DocumentWork(
      realm.bench.service.limits,
      now: {
        time.withLock { time in
          time.now += 1
          return time.now
        }
      })
    await #expect(throws: DocumentError.tooLong) { try await realm.realm.carryOut(call) }
    try await expectEqual(
      realm.bench.text("updateMany", #""query":{"s":{"$regex":"a"}},"update":{"$inc":{"n":1}}"#),
      #"{"matchedCount":4,"modifiedCount":4}"#)
    // Of a named object, too.
    try await expectEqual(
      realm.bench.text("updateOne", #""query":{"_id":1},"update":{"$inc":{"n":1}}"#),
      #"{"matchedCount":1,"modifiedCount":1}"#)
  }
}
#endif
