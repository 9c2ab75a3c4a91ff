// SPDX-License-Identifier: Apache-2.0

// The classes of the app in realms, before any device has declared some.

import RealmDeclarations
import RealmStorage
import RealmSyncProtocol
import RealmTables
import TestExtensions
import Testing

@testable import RealmServerEngine

struct DeclaredClassesTests {
  private static func schema(_ properties: String = "") throws -> AppSchema {
    try AppSchema(
      Array(
        """
        {"classes":[
          {"name":"Dog","kind":"topLevel","primaryKey":"_id","properties":[
            {"name":"_id","type":"objectId"},{"name":"owner","type":"object","target":"Person"},
            {"name":"collar","type":"object","target":"Collar"}\(properties)]},
          {"name":"Collar","kind":"embedded","properties":[{"name":"colour","type":"string"}]},
          {"name":"Person","kind":"topLevel","primaryKey":"_id","properties":[
            {"name":"_id","type":"int"},
            {"name":"tags","type":"string","collection":"set"}]},
          {"name":"Event","kind":"asymmetric","primaryKey":"_id","properties":[
            {"name":"_id","type":"uuid"}]}
        ]}
        """.utf8))
  }

  private static func keeper(_ schema: AppSchema, isFixed: Bool = true) -> SchemaKeeper {
    SchemaKeeper(schema, isFixed: isFixed) { _ in .success(nil) }
  }

  /// The properties of the classes of a realm, by their names, and its version.
  private func content(
    _ bench: SessionBench, _ partition: String? = nil
  ) async throws -> (classes: [String: [String]], version: UInt64) {
    let realm = try await bench.app.realms.open(RealmName(app: "test", partition: partition)).realm
    let snapshot = try await realm.store.newest()
    var classes: [String: [String]] = [:]
    for declared in try snapshot.classes().classes {
      classes[declared.name] = declared.properties.map(\.name).sorted()
    }
    return (classes, snapshot.head.version)
  }

  private static let all = [
    "Dog": ["_id", "collar", "owner"], "Collar": ["colour"], "Person": ["_id", "tags"],
    "Event": ["_id"],
  ]

  @Test(arguments: [SyncMode.partition, .flexible], [true, false])
  func aRealmHasTheClassesBeforeTheFirstDownload(_ mode: SyncMode, _ isFixed: Bool) async throws {
    let bench = SessionBench(mode, schema: Self.keeper(try Self.schema(), isFixed: isFixed))
    let partitions = mode == .partition ? ["\"home\"", "\"work\""] : ["\"home\""]
    for partition in partitions {
      _ = await bench.store().perform(bench.bind(partition, needsIdent: true))
      let found = try await content(bench, mode == .partition ? partition : nil)
      expectEqual(found.classes, Self.all)
      // The history of views begins with a version of its own.
      let version: UInt64 = mode == .flexible ? 2 : 1
      expectEqual(found.version, version)
      // The next device finds them, and makes no version.
      _ = await bench.store(connection: 2).perform(bench.bind(partition, needsIdent: true))
      let later = try await content(bench, mode == .partition ? partition : nil)
      expectEqual(later.version, version)
    }
  }

  /// As devices declare them, whatever the operator has written.
  @Test func linksAndValuesOfAnyTypeAreDeclaredAsDevicesDoIt() async throws {
    let text = """
      {"classes":[
        {"name":"Dog","kind":"topLevel","primaryKey":"_id","properties":[
          {"name":"_id","type":"objectId"},
          {"name":"link","type":"object","target":"Dog"},
          {"name":"list","type":"object","collection":"list","optional":true,"target":"Dog"},
          {"name":"set","type":"object","collection":"set","optional":true,"target":"Dog"},
          {"name":"map","type":"object","collection":"dictionary","target":"Dog"},
          {"name":"any","type":"mixed"},{"name":"anys","type":"mixed","collection":"list"},
          {"name":"text","type":"string"},{"name":"maybe","type":"string","optional":true}]}
      ]}
      """
    let bench = SessionBench(.partition, schema: Self.keeper(try AppSchema(Array(text.utf8))))
    let (store, _) = try await bench.running()
    let download = try await bench.download(after: DownloadCursor(), of: store)
    let entry = try #require(try download.body.downloadEntries().first)
    let changeset = try ChangesetParser.parse(entry.changeset)
    var nullable: Set<String> = []
    for case .addColumn(let step) in changeset.instructions where step.isNullable {
      nullable.insert(changeset.text(of: step.field))
    }
    expectEqual(nullable, ["link", "map", "any", "anys", "maybe"])
  }

  /// In partition mode they are an entry of the history, which every device gets.
  @Test func theClassesComeWithTheFirstDownload() async throws {
    let bench = SessionBench(.partition, schema: Self.keeper(try Self.schema()))
    let (store, _) = try await bench.running()
    let reply = await store.perform(.nextDownload(after: DownloadCursor()))
    guard case .download(let download) = reply else {
      Issue.record("\(reply)")
      return
    }
    let entry = try #require(try download.body.downloadEntries().first)
    let changeset = try ChangesetParser.parse(entry.changeset)
    let tables = changeset.instructions.count { if case .addTable = $0 { true } else { false } }
    expectEqual(tables, 4)
    expectEqual(changeset.instructions.count, 8)
  }

  @Test func whatTheOperatorAddsComesWithTheNextDevice() async throws {
    let keeper = Self.keeper(try Self.schema())
    let bench = SessionBench(.flexible, schema: keeper)
    _ = await bench.store().perform(bench.bind(needsIdent: true))
    _ = keeper.apply(try Self.schema(#",{"name":"age","type":"int"}"#), isFixed: true)
    // A known device does not wait for it.
    _ = await bench.store(connection: 2).perform(bench.bind(needsIdent: false))
    try await expectEqual(content(bench).version, 2)
    _ = await bench.store(connection: 3).perform(bench.bind(needsIdent: true))
    let found = try await content(bench)
    expectEqual(found.version, 3)
    expectEqual(found.classes["Dog"], ["_id", "age", "collar", "owner"])
  }

  @Test func devicesThatComeTogetherMakeOneVersion() async throws {
    let bench = SessionBench(.flexible, schema: Self.keeper(try Self.schema()))
    await withTaskGroup(of: Void.self) { group in
      for number: UInt64 in 1...20 {
        group.addTask {
          _ = await bench.store(connection: number).perform(bench.bind(needsIdent: true))
        }
      }
    }
    let found = try await content(bench)
    expectEqual(found.version, 2)
    expectEqual(found.classes, Self.all)
  }

  /// A schema with more classes than a realm may have keeps no device away.
  @Test func whatARealmCannotHaveIsLeftOut() async throws {
    let classes = (0...1_000).map { #"{"name":"C\#($0)","kind":"embedded","properties":[]}"# }
    let text = #"{"classes":[\#(classes.joined(separator: ","))]}"#
    let bench = SessionBench(.partition, schema: Self.keeper(try AppSchema(Array(text.utf8))))
    let reply = await bench.store().perform(bench.bind(needsIdent: true))
    guard case .bound = reply else {
      Issue.record("\(reply)")
      return
    }
    let found = try await content(bench, "\"home\"")
    expectEqual(found.classes, [:])
    expectEqual(found.version, 0)
    expectEqual(bench.reported, [])
  }
}
