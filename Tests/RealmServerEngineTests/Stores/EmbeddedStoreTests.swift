// SPDX-License-Identifier: Apache-2.0

// What is particular about the store on files of our own.

import Foundation
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine

struct EmbeddedStoreTests {
  @Test func namesThatLookAlikeAreKeptApart() {
    let names = [
      RealmName(app: "a", partition: "x"), RealmName(app: "a", partition: "X"),
      RealmName(app: "a", partition: ""), RealmName(app: "a"), RealmName(app: "a/b"),
      RealmName(app: "a", partition: "../x"), RealmName(app: "A"),
      RealmName(app: "a", partition: String(repeating: "y", count: 300)),
      RealmName(app: "a", partition: String(repeating: "y", count: 301)),
    ]
    let ids = names.map(\.fileID.rawValue)
    expectEqual(Set(ids).count, names.count)
    for id in ids {
      expectEqual(id.split(separator: "/").count, 2)
      expectTrue(id.utf8.count < 220)
      expectEqual(id, id.lowercased())
      expectFalse(id.contains("."))
    }
  }

  @Test func aFileOfAnotherRealmIsRefused() async throws {
    let files = SimulatedFiles()
    let (first, second) = (RealmName(app: "a", partition: "1"), RealmName(app: "a", partition: "2"))
    _ = try EmbeddedRealm(second.fileID, named: first, in: files)
    let copy = try files.restarted()
    #expect(throws: StoreError.ambiguousName(first)) {
      try EmbeddedStore.check(second.fileID, in: copy)
    }
    await #expect(throws: StoreError.ambiguousName(first)) {
      _ = try await EmbeddedStore(copy).open(second)
    }
  }

  @Test func filesLieInTheDirectoryOfTheirApp() async throws {
    let directory = try TemporaryDirectory()
    let name = RealmName(app: "todo", partition: "B")
    do {
      let store = EmbeddedStore(DirectoryFiles(directory: directory.path))
      try await expectEqual(store.open(name).own().epoch, 1)
    }
    let store = EmbeddedStore(DirectoryFiles(directory: directory.path))
    try await expectEqual(store.open(name).own().epoch, 2)
    let file = try DatabaseFile.open(
      path: directory.path + "/apps/todo/realms/p_=42.realm",
      options: OpenOptions(isReadOnly: true))
    #expect(try TableGroup(file.snapshot()).table(named: "server_meta") != nil)
  }

  /// `CompleteFile` 2
  @Test func namesOfNewFilesAreSynced() async throws {
    let directory = try TemporaryDirectory()
    let system = WatchedFiles()
    let files = DirectoryFiles(directory: directory.path, system: system)
    let (app, id) = (directory.path + "/apps/a", RealmID("a/b"))
    try files.make(id) { (_) throws(StorageError) in
      // The folders have their names before the file, and it has none yet.
      expectFalse(files.hasFile(of: id))
      expectEqual(system.syncedDirectories, [directory.path, directory.path + "/apps", app])
    }
    expectTrue(files.hasFile(of: id))
    // The realm, and the record of it.
    expectEqual(system.syncedDirectories.dropFirst(3), [app + "/realms", app])
    try files.make(RealmID("a/c")) { (_) throws(StorageError) in }
    expectEqual(system.syncedDirectories.dropFirst(5), [app + "/realms"])
  }

  /// `RealmRecord` 1
  @Test func realmsAreRecordedOnceTheyAreThere() async throws {
    let directory = try TemporaryDirectory()
    let files = DirectoryFiles(directory: directory.path)
    try expectEqual(files.recordedRealms(ofApp: "a"), [])
    #expect(throws: StorageError.corrupted("no")) {
      try files.make(RealmID("a/b")) { (_) throws(StorageError) in throw .corrupted("no") }
    }
    for name in ["b", "c"] {
      #expect(try !files.recordedRealms(ofApp: "a").contains(RealmID("a/\(name)")))
      try files.make(RealmID("a/\(name)")) { (_) throws(StorageError) in }
    }
    let (b, c, d) = (RealmID("a/b"), RealmID("a/c"), RealmID("a/d"))
    // Another process knows it, whatever has become of the folder of the realms.
    try FileManager.default.removeItem(atPath: directory.path + "/apps/a/realms")
    let others = DirectoryFiles(directory: directory.path)
    try expectEqual(others.recordedRealms(ofApp: "a"), [b, c])
    try others.record([d], forgetting: [b], ofApp: "a")
    try expectEqual(DirectoryFiles(directory: directory.path).recordedRealms(ofApp: "a"), [c, d])
    try expectEqual(others.recordedRealms(ofApp: "x"), [])
  }

  /// `RealmRecord` 2: what is read is the present file.
  @Test func anotherRecordMayTakeThePlaceOfOne() throws {
    let directory = try TemporaryDirectory()
    let (path, other) = (directory.file("a.realm"), directory.file("b.realm"))
    let record = RealmRecord(path, SystemFiles(isPrivate: true))
    try record.change(adding: ["x", "y"], removing: [])
    try expectEqual(record.names(), ["x", "y"])
    try RealmRecord(other, SystemFiles(isPrivate: true)).change(adding: ["z"], removing: [])
    for name in [path, path + ".lock"] { try FileManager.default.removeItem(atPath: name) }
    try FileManager.default.moveItem(atPath: other, toPath: path)
    try? FileManager.default.moveItem(atPath: other + ".lock", toPath: path + ".lock")
    try expectEqual(record.names(), ["z"])
    try record.change(adding: ["w"], removing: ["z"])
    try expectEqual(record.names(), ["w"])
  }

  @Test func touchesOfAllTypesAreReadBack() throws {
    let values: [TableValue] = [
      .null, .bool(true), .bool(false), .int(.min), .int(.max), .int(-1), .float(1.5),
      .double(-.infinity), .string("é"), .binary([0, 255]),
      .timestamp(Timestamp(seconds: -5, nanoseconds: -7)),
      .decimal(DecimalBits(low: .max, high: 3)), .objectId(Bytes12(high: .max, low: 2)),
      .uuid(Bytes16(high: 1, low: .max)), .list([.string("a"), .null]),
    ]
    let touches = [
      Touch(
        object: ObjectIdentity(
          className: "Thing", key: .global(GlobalKey(high: 9, low: .max))),
        existence: .erased,
        fields: values.enumerated().map { Touch.Field(name: "f\($0.offset)", before: $0.element) }),
      Touch(
        object: ObjectIdentity(className: "", key: .value(.null)), existence: .created),
    ]
    let bytes = TouchWriter.encode(touches)
    try expectEqual(TouchReader.decode(bytes), touches)
    try expectEqual(TouchReader.decode([]), [])
  }

  @Test func damagedTouchesNeverTrap() {
    var random = SeededGenerator(seed: 8)
    let touch = Touch(
      object: ObjectIdentity(className: "Thing", key: .value(.string("k"))), existence: .erased,
      fields: [Touch.Field(name: "a", before: .list([.int(1), .string("x")]))])
    let bytes = TouchWriter.encode([touch, touch])
    for _ in 0..<20_000 {
      var damaged = bytes
      for _ in 0..<1 + random.number(below: 3) {
        damaged[random.number(below: damaged.count)] = UInt8(truncatingIfNeeded: random.next())
      }
      if random.percent(20) { damaged.removeLast(random.number(below: damaged.count)) }
      _ = try? TouchReader.decode(damaged)
    }
  }
}
