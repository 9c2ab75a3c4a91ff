// SPDX-License-Identifier: Apache-2.0

// A local realm becomes a synchronised one, and the other way round.

#if Sync
import Foundation
import RealmStorage
import RealmSwiftTestSupport
import RealmSync
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

@Suite(.timeLimit(.minutes(10))) struct ConversionTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func local(_ name: String = "local") -> Realm.Configuration {
    Realm.Configuration(
      fileURL: URL(fileURLWithPath: directory.file(name + ".realm")), objectTypes: [Todo.self])
  }

  /// Writes a copy of the local realm.
  private func copyLocal(to configuration: Realm.Configuration) throws {
    try autoreleasepool {
      try Realm(configuration: local()).writeCopy(configuration: configuration)
    }
  }

  private func add(_ names: [String], to configuration: Realm.Configuration) throws {
    try autoreleasepool {
      let realm = try Realm(configuration: configuration)
      try realm.write {
        for name in names {
          let todo = Todo(value: ["name": name, "priority": name.utf8.count, "tags": ["x", name]])
          todo.extra["n"] = 3
          realm.add(todo)
        }
      }
    }
  }

  /// The first session of the copy uploads everything.
  @Test func aLocalRealmBecomesAPartition() async throws {
    let app = try MemoryApp(.partition)
    let names = (0..<300).map { "todo \($0)" }.sorted()
    try add(names, to: local())
    let configuration = try await ResetDevice.configuration(app, "one", .manual())
    try copyLocal(to: configuration)
    // Nothing but the file.
    let place = try #require(configuration.fileURL)
    try expectEqual(
      FileManager.default.contentsOfDirectory(
        atPath: place.deletingLastPathComponent().path), [place.lastPathComponent])
    let device = try await ResetDevice(configuration)
    await expectEqual(device.names(), names)
    try await device.meet()
    let other = try await ResetDevice(ResetDevice.configuration(app, "two", .manual()))
    await expectEqual(other.names(), names)
    let todo = await other.read { realm in
      let todo = realm.objects(Todo.self).first { $0.name == names[7] }
      return (todo?.priority, todo.map { Array($0.tags).sorted(by: <) }, todo?.extra["n"])
    }
    expectEqual(todo.0, names[7].utf8.count)
    expectEqual(todo.1, [names[7], "x"])
    expectEqual(todo.2, 3)
    // Objects have one identity: a change of one device arrives at the other.
    try await device.change { realm in
      realm.objects(Todo.self).first { $0.name == names[7] }?.name = "changed"
    }
    let changed = (names.filter { $0 != names[7] } + ["changed"]).sorted()
    try await other.waitForNames(changed)
  }

  /// A program may put a file there by itself.
  @Test func theFolderOfAUserIsMadeWhenItsFileIsAskedFor() async throws {
    let app = try MemoryApp(.partition)
    let configuration = try await ResetDevice.configuration(app, "one", .manual())
    let folder = try #require(configuration.fileURL).deletingLastPathComponent().path
    let attributes = try FileManager.default.attributesOfItem(atPath: folder)
    expectEqual(attributes[.type] as? FileAttributeType, .typeDirectory)
    expectEqual((attributes[.posixPermissions] as? NSNumber)?.intValue, 0o700)
  }

  /// Objects of a transaction that is open go along.
  @Test func whatATransactionMadeIsUploaded() async throws {
    let app = try MemoryApp(.partition)
    let configuration = try await ResetDevice.configuration(app, "one", .manual())
    try add(["a"], to: local())
    try autoreleasepool {
      let realm = try Realm(configuration: local())
      realm.beginWrite()
      realm.add(Todo(value: ["name": "b"]))
      try realm.writeCopy(configuration: configuration)
      realm.cancelWrite()
    }
    let device = try await ResetDevice(configuration)
    try await device.meet()
    await expectEqual(device.names(), ["a", "b"])
  }

  /// A local realm goes into a synchronised file that is there, as one change.
  @Test(arguments: [SyncMode.flexible, .partition])
  func aLocalRealmGoesIntoASynchronisedOne(_ mode: SyncMode) async throws {
    let app = try MemoryApp(mode)
    try add(["a"], to: local())
    let configuration = try await ResetDevice.configuration(app, "one", .manual())
    let device = try await ResetDevice(configuration)
    try await device.add("b")
    try copyLocal(to: configuration)
    try await device.waitForNames(["a", "b"])
    try await device.meet()
    let other = try await ResetDevice(ResetDevice.configuration(app, "two", .manual()))
    await expectEqual(other.names(), ["a", "b"])
  }

  @Test func subscriptionsAreNeededBefore() async throws {
    let app = try MemoryApp(.flexible)
    try add(["a"], to: local())
    let user = try await app.device("one").login(credentials: .anonymous)
    var configuration = user.flexibleSyncConfiguration()
    configuration.objectTypes = [Todo.self]
    let target = configuration
    let first = #expect(throws: Realm.Error.self) { try copyLocal(to: target) }
    expectEqual(first?.code, .invalidInput)
    expectEqual(first?.localizedDescription.contains("chosen by subscriptions"), true)
    try autoreleasepool { _ = try Realm(configuration: target) }
    let second = #expect(throws: Realm.Error.self) { try copyLocal(to: target) }
    expectEqual(second?.code, .noSubscriptionForWrite)
    expectEqual(second?.localizedDescription.contains("'Todo'"), true)
  }

  /// The copy is a local file, in the form of every other one.
  @Test(arguments: [SyncMode.flexible, .partition])
  func aSynchronisedRealmBecomesLocal(_ mode: SyncMode) async throws {
    let app = try MemoryApp(mode)
    let device = try await ResetDevice(
      ResetDevice.configuration(app, "one", .manual()))
    try await device.add("a")
    try await device.meet()
    try await device.session().suspend()
    try await device.add("b")
    // Changes that wait for their upload go along.
    let target = local("copy")
    try await device.copy(to: target)
    try ReferenceReader.check(target)
    let file = try DatabaseFile.open(
      path: try #require(target.fileURL).path, options: OpenOptions(mustExist: true))
    #expect(try file.snapshot().top().historyType != HistoryKind.syncClient.type)
    // Nothing of the synchronisation is left.
    let tables = try tableNames(file).filter { !$0.hasPrefix("class_") }
    expectTrue(Set(tables).isSubset(of: ["metadata", "pk"]))
    let folder = try #require(target.fileURL).deletingLastPathComponent().path
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(!names.contains { $0.contains(".copy") })
    try autoreleasepool {
      let realm = try Realm(configuration: target)
      expectEqual(ResetDevice.Log.names(realm), ["a", "b"])
      try realm.write { realm.add(Todo(value: ["name": "c"])) }
      expectEqual(ResetDevice.Log.names(realm), ["a", "b", "c"])
    }
  }

  private func tableNames(_ file: DatabaseFile) throws -> [String] {
    let tables = try TableGroup(file.snapshot())
    return try tables.tableKeys().compactMap { try tables.schema(of: $0)?.name }.sorted()
  }

  /// A copy for another user downloads on from where the realm is.
  @Test(arguments: [SyncMode.flexible, .partition])
  func aSynchronisedRealmIsBundled(_ mode: SyncMode) async throws {
    let app = try MemoryApp(mode)
    let device = try await ResetDevice(
      ResetDevice.configuration(app, "one", .manual()))
    try await device.add("a")
    try await device.meet()
    let target = try await ResetDevice.configuration(app, "two", .manual())
    try await device.copy(to: target)
    let copied = try await ResetDevice(target)
    await expectEqual(copied.names(), ["a"])
    try await device.add("b")
    try await copied.waitForNames(["a", "b"])
    try await copied.add("c")
    try await device.waitForNames(["a", "b", "c"])
    let original = try await device.identifier
    #expect(try await copied.identifier != original)
  }

  @Test func whatCannotBeBundledIsRefused() async throws {
    let app = try MemoryApp(.partition)
    let configuration = try await ResetDevice.configuration(app, "one", .manual())
    let device = try await ResetDevice(configuration)
    try await device.add("a")
    try await device.meet()
    func code(_ target: Realm.Configuration) async throws -> Realm.Error.Code? {
      let error = await #expect(throws: Realm.Error.self) { try await device.copy(to: target) }
      #expect(!FileManager.default.fileExists(atPath: try #require(target.fileURL).path))
      return error?.code
    }
    let user = try await app.device("two").login(credentials: .anonymous)
    var other = user.configuration(partitionValue: "another")
    other.objectTypes = [Todo.self]
    try await expectEqual(code(other), .invalidInput)
    var flexible = user.flexibleSyncConfiguration()
    flexible.objectTypes = [Todo.self]
    try await expectEqual(code(flexible), .invalidInput)
    // Changes wait for their upload.
    try await device.session().suspend()
    try await device.add("waits")
    var same = user.configuration(partitionValue: "p")
    same.objectTypes = [Todo.self]
    try await expectEqual(code(same), .fail)
  }
}
#endif
