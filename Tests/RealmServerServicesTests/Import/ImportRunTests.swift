// SPDX-License-Identifier: Apache-2.0

// Documents of dumps as objects of realms.

#if Server
import RealmFormats
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTestSupport
import RealmText
import TestExtensions
import Testing

@testable import RealmServerEngine
@testable import RealmServerServices

struct ImportRunTests {
  private static let item = DumpNamespace("todo", "Item")
  private static let profile = DumpNamespace("todo", "Profile")

  private static func id(_ number: Int) -> String {
    ObjectIDBits(high: 0x0123_4567_89AB_CDEF, low: UInt32(number)).text
  }

  private static func items(_ count: Int) throws -> [BSONValue] {
    try (0..<count).map { number in
      try ExtendedJSONReader.parse(
        #"""
        {"_id":{"$oid":"\#(id(number))"},"owner_id":"u\#(number % 3)","summary":"s\#(number)",
         "isComplete":\#(number % 2 == 0),"priority":\#(number),"tags":["a","b\#(number)"],
         "place":{"street":"x","number":\#(number)}}
        """#)
    }
  }

  private static func bench(_ documents: [BSONValue] = []) throws -> ImportBench {
    let bench = try ImportBench()
    bench.files = TutorialExport.files(TutorialExport.flexible)
    bench.files["dump/todo/Item.json"] = DumpWriter.json(documents, .lines)
    return bench
  }

  private static func normal(_ values: [BSONValue]) -> [BSONValue] {
    values.map(BSONOrder.normal)
  }

  /// Each form of a dump gives the same documents, in groups of any size.
  @Test(arguments: 0..<6)
  func documentsOfEveryFormAreTheObjects(_ form: Int) async throws {
    let items = try Self.items(60)
    let profiles = try (0..<5).map { number in
      try ExtendedJSONReader.parse(
        #"{"_id":{"$oid":"\#(Self.id(500 + number))"},"owner_id":"u\#(number)"}"#)
    }
    let bench = try ImportBench()
    bench.files = TutorialExport.files(TutorialExport.flexible)
    let archive = DumpWriter.archive([(Self.item, items), (Self.profile, profiles)])
    switch form {
    case 0: bench.files["dump/all.archive"] = archive
    case 1: bench.files["dump/all.archive.gz"] = Gzip.compress(archive)
    case 2, 3:
      for (name, documents) in [("Item", items), ("Profile", profiles)] {
        let bytes = documents.flatMap(DumpWriter.bson)
        bench.files["dump/todo/\(name).bson\(form == 3 ? ".gz" : "")"] =
          form == 3 ? Gzip.compress(bytes) : bytes
      }
    default:
      for (name, documents) in [("Item", items), ("Profile", profiles)] {
        bench.files["dump/todo/\(name).json"] = DumpWriter.json(
          documents, form == 4 ? .lines : .relaxedArray)
      }
    }
    bench.options.groupCount = 7 + form
    let report = try await bench.run()
    expectEqual(report.objects, ["Item": 60, "Profile": 5])
    expectEqual(report.rejectedCount, 0)
    expectEqual(Self.normal(try await bench.documents("Item")), Self.normal(items))
    expectEqual(Self.normal(try await bench.documents("Profile")), Self.normal(profiles))
  }

  /// Links may lead to documents that come later, or that are not there.
  @Test func relationshipsAreLinks() async throws {
    let bench = try Self.bench()
    bench.files["dump/todo/Item.json"] = Array(
      #"""
      {"_id":{"$oid":"\#(Self.id(1))"},"owner_id":"a","summary":"s","isComplete":true,
       "profile":{"$oid":"\#(Self.id(9))"}}
      {"_id":{"$oid":"\#(Self.id(2))"},"owner_id":"a","summary":"t","isComplete":true,
       "profile":{"$oid":"\#(Self.id(8))"}}
      """#.utf8)
    bench.files["dump/todo/Profile.json"] = Array(
      #"{"_id":{"$oid":"\#(Self.id(9))"},"owner_id":"a","name":"Ann"}"#.utf8)
    bench.options.groupCount = 1
    try await expectEqual(bench.run().objectCount, 3)
    let items = try await bench.documents("Item")
    expectEqual(items[0]["profile"], .objectID(try #require(ObjectIDBits(text: Self.id(9)))))
    expectEqual(items[1]["profile"], nil)
  }

  @Test func documentsThatDoNotFitAreNamedAndKept() async throws {
    let bench = try Self.bench()
    let good = #""owner_id":"a","summary":"s","isComplete":true"#
    let lines = [
      #"{"_id":{"$oid":"\#(Self.id(1))"},\#(good),"extra":1,"place":{"street":"x","odd":2}}"#,
      #"{"_id":{"$oid":"\#(Self.id(2))"},\#(good),"priority":"high"}"#,
      #"{"_id":{"$oid":"\#(Self.id(3))"},"owner_id":"a","summary":"s"}"#,
      #"{"_id":"text",\#(good)}"#,
      #"{"_id":{"$oid":"\#(Self.id(1))"},\#(good)}"#,
      #"{"_id":{"$oid":"\#(Self.id(4))"},\#(good),"place":{"number":1}}"#,
      #"{"_id":{"$oid":"\#(Self.id(5))"},\#(good),"tags":[1],"place":null}"#,
      #"{"_id":{"$oid":"\#(Self.id(6))"},\#(good),"tags":null,"priority":null}"#,
    ]
    bench.files["dump/todo/Item.json"] = Array(lines.joined(separator: "\n").utf8)
    bench.files["dump/todo/Other.json"] = Array(#"{"_id":1}{"_id":2}"#.utf8)
    let report = try await bench.run()
    expectEqual(report.objects, ["Item": 2])
    expectEqual(report.rejected, ["todo.Item": 6])
    expectEqual(report.unknownFields, ["Item.extra": 1, "Place.odd": 1])
    expectEqual(report.leftOut, ["todo.Other": 2])
    expectEqual(
      report.firstRejected.map(\.field),
      ["priority", "isComplete", "_id", "_id", "place.street", "tags"])
    #expect(report.text.contains("Documents of todo.Item that do not fit the schema: 6 (left out)"))
    let rejected = String(decoding: bench.rejected.withLock { $0 }, as: UTF8.self)
    let first = try JSONParser.parse(String(rejected.split(separator: "\n")[0]))
    expectEqual(first["collection"]?.string, "todo.Item")
    expectEqual(first["field"]?.string, "priority")
    expectEqual(first["document"]?["priority"]?.string, "high")
    expectEqual(rejected.split(separator: "\n").count, 6)
    try await expectEqual(bench.documents("Item").count, 2)
  }

  @Test func aStrictImportEndsAtTheFirstDocumentThatDoesNotFit() async throws {
    let bench = try Self.bench()
    bench.options.isStrict = true
    bench.files["dump/todo/Item.json"] = Array(#"{"_id":{"$oid":"\#(Self.id(7))"}}"#.utf8)
    await #expect {
      try await bench.run()
    } throws: { error in
      "\(error)".contains("todo.Item") && "\(error)".contains(Self.id(7))
        && "\(error)".contains("go on without --strict")
    }
  }

  @Test func documentsThatCannotBeReadAreLeftOutAtWill() async throws {
    let bench = try Self.bench()
    var items = try Self.items(3).map(DumpWriter.bson)
    let place = try #require(items[1].firstIndex(of: UInt8(ascii: "s")))
    items[1][place] = 0xFF
    bench.files["dump/todo/Item.json"] = nil
    bench.files["dump/todo/Item.bson"] = Array(items.joined())
    await #expect(throws: ImportError.self) { try await bench.run() }
    bench.options.skipsDamaged = true
    let report = try await bench.run()
    expectEqual(report.objects, ["Item": 2])
    expectEqual(report.rejected, ["todo.Item": 1])
  }

  /// A dump that was cut is imported up to there, where that is wanted, and the report says so.
  @Test(arguments: [1, 2])
  func aDumpThatIsCutIsImportedUpToTheCut(_ groupCount: Int) async throws {
    let bench = try Self.bench()
    bench.options.groupCount = groupCount
    let items = try Self.items(3).map(DumpWriter.bson)
    bench.files["dump/todo/Item.json"] = nil
    bench.files["dump/todo/Item.bson"] = Array(items.joined().dropLast(5))
    await #expect(throws: ImportError.self) { try await bench.run() }
    bench.options.skipsDamaged = true
    let report = try await bench.run()
    expectEqual(report.objects, ["Item": 2])
    expectEqual(Array(report.cuts.keys), ["dump/todo/Item.bson"])
    expectTrue(
      report.text.contains("The rest of a file is left out: dump/todo/Item.bson is damaged"),
      "\(report.text)")
    // Another run would tell it, too.
    expectEqual(AppImportReport(report.json).cuts, report.cuts)
  }

  /// An app whose data is gone, or comes later.
  @Test func anAppWithoutADumpHasItsSettingsRulesAndUsers() async throws {
    let bench = try Self.bench()
    let plan = try AppImportPlan("app", data: nil, in: bench.files)
    expectEqual(plan.sources, [])
    let with = try bench.plan
    expectEqual(plan.app.roles, with.app.roles)
    expectEqual(plan.schema, with.schema)
    expectTrue(
      plan.text.contains("No documents are imported, as --data is not given"), "\(plan.text)")
  }

  // MARK: Partitions

  @Test func documentsGoToTheirPartitions() async throws {
    let bench = try ImportBench()
    bench.files = TutorialExport.files(TutorialExport.partitioned)
    let lines = (0..<40).map { number in
      #"{"_id":{"$oid":"\#(Self.id(number))"},"name":"n\#(number)","_partition":"p\#(number % 8)"}"#
    }
    let bad = #"{"_id":{"$oid":"\#(Self.id(99))"},"name":"x"}"#
    bench.files["dump/todo/Task.json"] = Array((lines + [bad]).joined(separator: "\n").utf8)
    bench.files["dump/todo/Extra.json"] = Array(
      #"{"_id":1,"user":"\#(Self.id(70))","team":"red"}{"_id":2,"user":"\#(Self.id(71))"}"#.utf8)
    bench.files["users.json"] = Array(
      #"""
      [{"_id":"\#(Self.id(70))","type":"normal","creation_date":1700000000,
        "identities":[{"id":"abc","provider_type":"oauth2-google","provider_id":"x"}],
        "data":{"name":"Ann"}}]
      """#.utf8)
    (bench.options.groupCount, bench.options.openCount) = (5, 2)
    let report = try await bench.run(users: "users.json")
    expectEqual(report.objects, ["Task": 40])
    expectEqual(report.rejected, ["todo.Task": 1])
    expectEqual(report.customDataCount, 1)
    expectEqual(report.userCount, 1)
    let texts = try await bench.texts("Task", #"{"_partition":"p3"}"#)
    expectEqual(texts.count, 5)
    #expect(texts.allSatisfy { $0.contains(#""_partition":"p3""#) })
    expectEqual(texts.first?.contains(#""name":"n3""#), true)
    let account = try #require(try await bench.accounts.account(Self.id(70)))
    expectEqual(account.customData?["team"], .string("red"))
    expectEqual(account.identities, [IdentityName(provider: "oauth2-google", name: "abc")])
  }

  @Test func customDataHasALimit() async throws {
    let bench = try ImportBench()
    bench.files = TutorialExport.files(TutorialExport.partitioned)
    let text = String(repeating: "x", count: 17 << 10)
    bench.files["dump/todo/Extra.json"] = Array(
      #"{"_id":1,"user":"\#(Self.id(70))","text":"\#(text)"}"#.utf8)
    let report = try await bench.run()
    expectEqual(report.rejected, ["todo.Extra": 1])
    expectEqual(report.firstRejected.first?.reason.contains("16384 bytes"), true)
  }

  /// A group ends by its bytes, or by its count: each is a version.
  /// `ImportRun` 1
  @Test func aTransactionHasABoundedSize() async throws {
    for (bytes, count, versions) in [(1 << 20, 4, 6), (1, 100, 21), (1 << 20, 100, 2)] {
      let bench = try Self.bench(try Self.items(20))
      (bench.options.groupByteCount, bench.options.groupCount) = (bytes, count)
      try await bench.run()
      let realm = try await ServerRealm.open(
        RealmName(app: "tasks-abcde"), of: EmbeddedStore(bench.disk), clock: ImportBench.clock)
      await expectEqual(realm.head.version, UInt64(versions))
    }
  }

  /// A device in partition mode is behind the trimmed history, so it gets the state.
  @Test func aRealmHasNoHistoryOfItsImport() async throws {
    let bench = try Self.bench(try Self.items(30))
    bench.options.groupCount = 10
    try await bench.run()
    let store = EmbeddedStore(bench.disk)
    let realm = try await ServerRealm.open(
      RealmName(app: "tasks-abcde"), of: store, clock: ImportBench.clock)
    let head = await realm.head
    expectEqual(head.version, 4)
    expectEqual(head.base, 3)
    let entries = try await realm.entries(in: 4..<5)
    expectEqual(entries.map(\.changeset), [[]])
  }

  @Test func aDeviceOfAPartitionGetsTheImportedObjects() async throws {
    let bench = try ImportBench()
    bench.files = TutorialExport.files(TutorialExport.partitioned)
    let lines = (0..<30).map { number in
      #"{"_id":{"$oid":"\#(Self.id(number))"},"name":"n\#(number)","_partition":"home"}"#
    }
    bench.files["dump/todo/Task.json"] = Array(lines.joined(separator: "\n").utf8)
    bench.options.groupCount = 8
    try await bench.run()
    let realm = try await ServerRealm.open(
      RealmName(app: "tasks_old", partition: "\"home\""), of: EmbeddedStore(bench.disk),
      clock: ImportBench.clock)
    let file = try await realm.allocateFile(for: "ann")
    var (cursor, made) = (DownloadCursor(), 0)
    while cursor.serverVersion < (await realm.head.version) {
      let batch = try await realm.download(for: file.ident, after: cursor)
      for entry in batch.entries where !entry.changeset.isEmpty {
        for case .createObject in try ChangesetParser.parse(entry.changeset).instructions {
          made += 1
        }
      }
      guard batch.cursors.download.serverVersion > cursor.serverVersion else { break }
      cursor = batch.cursors.download
    }
    expectEqual(made, 30)
  }

  // MARK: Interruptions

  /// Every call that writes fails once, before and after its effect: the next run goes on, and the
  /// app is as if there had been no interruption.
  /// `AppImportMark` 1 and 2, `ImportRun` 2
  @Test(.heavy) func anImportGoesOnAfterAFailureOfAnyCall() async throws {
    var items = try Self.items(20)
    items.insert(try ExtendedJSONReader.parse(#"{"_id":"odd"}"#), at: 11)
    // The second document of an _id in a group, and one with a field beyond the schema.
    items.insert(items[7], at: 9)
    items[3] = try ExtendedJSONReader.parse(
      #"""
      {"_id":{"$oid":"\#(Self.id(3))"},"owner_id":"a","summary":"s","isComplete":true,"more":1}
      """#)
    let whole = try Self.bench(items)
    whole.options.groupCount = 6
    let expected = try await whole.run()
    let count = whole.faults.count
    expectTrue(count > 15)
    for number in 0..<count {
      let bench = try Self.bench(items)
      bench.options.groupCount = 6
      bench.faults.fail(at: number)
      await #expect(throws: ImportError.self) { try await bench.run() }
      bench.faults.fail(at: .max)
      try bench.restart()
      let report = try await bench.run()
      expectEqual(report.objects, expected.objects, "after call \(number)")
      expectEqual(report.rejected, expected.rejected, "after call \(number)")
      expectEqual(report.unknownFields, expected.unknownFields, "after call \(number)")
      expectEqual(
        bench.rejected.withLock { $0 }, whole.rejected.withLock { $0 }, "after call \(number)")
      expectEqual(
        Self.normal(try await bench.documents("Item")),
        Self.normal(try await whole.documents("Item")), "after call \(number)")
    }
  }

  @Test func anImportDoesNotGoOnWithAnotherDump() async throws {
    let bench = try Self.bench(try Self.items(20))
    bench.options.groupCount = 6
    bench.faults.fail(at: 8)
    await #expect(throws: ImportError.self) { try await bench.run() }
    bench.faults.fail(at: .max)
    bench.files["dump/todo/Item.json"]? += [10]
    await #expect {
      try await bench.run()
    } throws: {
      "\($0)".contains("another dump") && "\($0)".contains("--start-over")
    }
  }
}
#endif
