// SPDX-License-Identifier: Apache-2.0

// Backups of a server that runs, and devices that go on with what was restored.

#if Server
import Foundation
import RealmFormats
import RealmServerEngine
import RealmServerServices
import RealmStorage
import RealmSwift
import RealmSync
import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServer
@testable import RealmServerKit

@Suite(.timeLimit(.minutes(20))) struct BackupTests {
  /// Runs something that blocks on a thread of its own.
  static func onThread<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<R, any Error>) in
      Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
  }

  @MainActor private static func open(_ device: AppDevice, _ mode: SyncMode) async throws -> Realm {
    var configuration =
      switch mode {
      case .partition:
        device.user.configuration(
          partitionValue: "home", clientResetMode: .recoverUnsyncedChanges())
      case .flexible:
        device.user.flexibleSyncConfiguration(
          clientResetMode: .recoverUnsyncedChanges(),
          initialSubscriptions: { $0.append(QuerySubscription<Todo>(name: "all")) })
      }
    configuration.objectTypes = [Todo.self]
    return try await Realm(
      configuration: configuration, actor: MainActor.shared, downloadBeforeOpen: .always)
  }

  @MainActor private static func names(_ realm: Realm) async -> Set<String> {
    await realm.asyncRefresh()
    return Set(realm.objects(Todo.self).map(\.name))
  }

  /// Waits until realms are equal, and have some names.
  @MainActor private static func meet(_ realms: [Realm], _ wanted: Set<String>) async throws {
    for _ in 0..<6_000 {
      var all: [Set<String>] = []
      for realm in realms { all.append(await names(realm)) }
      if Set(all).count == 1, all[0].isSuperset(of: wanted) { return }
      try await Task.sleep(for: .milliseconds(20))
    }
    for realm in realms {
      let names = await names(realm)
      expectTrue(names.isSuperset(of: wanted), "lost: \(wanted.subtracting(names))")
    }
    Issue.record("the devices did not become equal")
  }

  /// `Backup` 1 and 2
  @Test(arguments: [(SyncMode.partition, 1 as UInt64), (.flexible, 2)])
  @MainActor func devicesGoOnWithABackupThatWasMadeUnderRandomWrites(
    _ mode: SyncMode, _ seed: UInt64
  ) async throws {
    var random = SeededGenerator(seed: seed)
    let server = try await RunningServer(mode: mode)
    let devices = [try await AppDevice(server, "a"), try await AppDevice(server, "b")]
    var realms: [Realm] = []
    for device in devices { realms.append(try await Self.open(device, mode)) }
    var count = 0
    func write() async throws {
      let realm = realms[Int.random(in: 0..<2, using: &random)]
      count += 1
      let name = "\(count)"
      try await realm.asyncWrite { realm.add(Todo(value: ["name": name])) }
    }
    for _ in 0..<10 { try await write() }
    for realm in realms { try await realm.syncSession?.wait(for: .upload) }
    let acknowledged = Set((1...count).map { "\($0)" })
    // While it runs, and under writes.
    let (folder, target) = (server.directory.path + "/data", server.directory.path + "/backup")
    let backup = Task { try await Self.onThread { try Backup.make(of: folder, to: target) } }
    for _ in 0..<30 { try await write() }
    let report = try await backup.value
    expectEqual(report.realmCount, 1)
    expectTrue(report.fileCount > 4)
    for _ in 0..<5 { try await write() }
    for realm in realms { try await realm.syncSession?.wait(for: .upload) }
    let port = try #require(URLComponents(string: server.address)?.port)
    try await server.stop()
    // The machine is lost; a device writes meanwhile.
    try await realms[0].asyncWrite { realms[0].add(Todo(value: ["name": "offline"])) }
    let check = try await Self.onThread { try FolderCheck(target) }
    expectFalse(check.isDamaged, "\(check.text)")
    let other = try TemporaryDirectory()
    let restored = try await Self.onThread {
      try Restore.run(from: target, to: other.path + "/data", replaces: false)
    }
    expectTrue(restored.text.contains("has the data of the backup"))
    let users = try AccountCheck(
      path: other.path + "/data/apps/todos/accounts.realm", app: "todos"
    ).users
    let inspected = InspectedFiles(directory: other.path + "/data")
    for realm in try inspected.realms(ofApp: "todos") {
      for client in try inspected.facts(of: realm).clients {
        expectTrue(users.contains(client.user))
      }
    }
    let second = try await RunningServer(other, port: port)
    for realm in realms { realm.syncSession?.reconnect() }
    try await Self.meet(realms, acknowledged.union(["offline"]))
    let new = try await Self.open(AppDevice(second, "new"), mode)
    try await Self.meet(realms + [new], acknowledged.union(["offline"]))
    for device in devices { #expect(device.errors.withLock { $0.isEmpty }) }
    expectEqual(second.program.status.restored["backup"]?.string, report.begin)
    try await second.stop()
  }

  // MARK: Imports

  /// An import that ends in its middle: users and objects are there, and app.json is not.
  private static func unfinishedImport(
    in directory: TemporaryDirectory
  ) async throws -> TutorialApp {
    let app = try TutorialApp(in: directory.path, userCount: 2, itemCount: 3)
    try app.write("dump/todo/Profile.json", Array(#"{"_id":1}"#.utf8))
    await #expect(throws: ServerFailure.self) {
      _ = try await app.run { $0.options.isStrict = true }
    }
    return app
  }

  /// `Backup` 4
  @Test func anAppThatIsBeingImportedIsNotInABackup() async throws {
    let directory = try TemporaryDirectory()
    _ = try await Self.unfinishedImport(in: directory)
    let alone = directory.path + "/alone"
    let refused = #expect(throws: ServerFailure.self) {
      try BackupCommand.answer(directory.path + "/data", alone, isJSON: false)
    }
    expectEqual(
      refused?.description,
      "The import of the app \(TutorialApp.id) has not ended, and there is no other app. Make "
        + "the backup after it.")
    for path in [alone, alone + ".unfinished"] {
      expectFalse(FileManager.default.fileExists(atPath: path))
    }
    // Another app of a folder has its backup, which can be used.
    let server = try await RunningServer(mode: .partition)
    _ = try await server.user()
    try await server.stop()
    let app = try await Self.unfinishedImport(in: server.directory)
    let (data, backup) = (server.directory.path + "/data", server.directory.path + "/backup")
    let text = try BackupCommand.answer(data, backup, isJSON: false)
    #expect(
      text.hasSuffix("\nThe app \(TutorialApp.id) is not in it: its import has not ended"))
    expectFalse(FileManager.default.fileExists(atPath: "\(backup)/apps/\(TutorialApp.id)"))
    let check = try FolderCheck(backup)
    expectFalse(check.isDamaged, "\(check.text)")
    _ = try Restore.run(from: backup, to: directory.path + "/other", replaces: false)
    // After the import the app is in it.
    _ = try await app.run()
    let whole = server.directory.path + "/whole"
    let json = try JSONParser.parse(BackupCommand.answer(data, whole, isJSON: true))
    expectEqual(json["importing"], .array([]))
    let second = try FolderCheck(whole)
    expectFalse(second.isDamaged, "\(second.text)")
    #expect(
      FileManager.default.fileExists(atPath: "\(whole)/apps/\(TutorialApp.id)/app.json"))
  }

  // MARK: Mistakes

  /// A folder of a server with a realm, and a backup of it.
  private static func backedUp() async throws -> (directory: TemporaryDirectory, backup: String) {
    let server = try await RunningServer(mode: .partition)
    let user = try await server.user()
    let device = try await ServedDevice(user.connection())
    try device.put(1, "a")
    try await device.wait(for: .upload)
    await device.close()
    try await server.stop()
    let target = server.directory.path + "/backup"
    _ = try Backup.make(of: server.directory.path + "/data", to: target)
    return (server.directory, target)
  }

  @Test func aBackupIsMadeInANewPlaceAlone() async throws {
    let (directory, backup) = try await Self.backedUp()
    let data = directory.path + "/data"
    for target in [backup, data, data + "/backup", data + "/apps/../x"] {
      #expect(throws: ServerFailure.self) { try Backup.make(of: data, to: target) }
    }
    #expect(throws: ServerFailure.self) {
      try Backup.make(of: directory.path + "/none", to: directory.path + "/other")
    }
    // Something else has the name of an unfinished one.
    let other = directory.path + "/other.unfinished"
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
    try Data().write(to: URL(fileURLWithPath: other + "/letter.txt"))
    #expect(throws: ServerFailure.self) {
      try Backup.make(of: data, to: directory.path + "/other")
    }
    try FileManager.default.removeItem(atPath: other)
    let answer = try BackupCommand.answer(data, directory.path + "/json", isJSON: true)
    try expectEqual(JSONParser.parse(answer)["realms"]?.integer, 1)
    for file in ["keys/tokens", "apps/todos/accounts.realm"] {
      let rights = try FileManager.default.attributesOfItem(atPath: "\(backup)/\(file)")
      expectEqual((rights[.posixPermissions] as? Int).map { $0 & 0o077 }, 0)
    }
  }

  /// What a disk or a stranger may do to a backup.
  enum Spoil: CaseIterable {
    case missing, changed, noList, list, outside

    func perform(_ backup: String) throws {
      let list = URL(fileURLWithPath: backup + "/backup.json")
      let file = URL(fileURLWithPath: backup + "/apps/todos/app.json")
      switch self {
      case .missing: try FileManager.default.removeItem(at: file)
      case .changed: try Data("{}".utf8).write(to: file)
      case .noList: try FileManager.default.removeItem(at: list)
      case .list: try Data("[1, 2".utf8).write(to: list)
      case .outside:
        let text = try String(contentsOf: list, encoding: .utf8)
          .replacingOccurrences(of: "keys/tokens", with: "keys/../../x")
        try Data(text.utf8).write(to: list)
      }
    }
  }

  /// `Restore` 1
  @Test(arguments: Spoil.allCases) func aDamagedBackupIsNotRestored(_ spoil: Spoil) async throws {
    let (directory, backup) = try await Self.backedUp()
    try spoil.perform(backup)
    let target = directory.path + "/restored"
    #expect(throws: ServerFailure.self) {
      try Restore.run(from: backup, to: target, replaces: false)
    }
    expectTrue(!FileManager.default.fileExists(atPath: target + "/apps"))
    expectTrue(!FileManager.default.fileExists(atPath: directory.path + "/x"))
    // Nor is the data that is there moved aside.
    let data = directory.path + "/data"
    #expect(throws: ServerFailure.self) {
      try Restore.run(from: backup, to: data, replaces: true)
    }
    #expect(try !FolderCheck(data).isDamaged)
  }

  /// `Backup` 3: killed before it has its mark, while it writes that, later, and before the folder
  /// has its name.
  @Test(
    arguments: [
      [], ["backup.unfinished.new"], ["backup.unfinished", "keys"],
      ["backup.unfinished", BackupManifest.name, "keys"],
    ] as [[String]])
  func anInterruptedBackupIsMadeAgain(_ left: [String]) async throws {
    let (directory, _) = try await Self.backedUp()
    let target = directory.path + "/other"
    try FileManager.default.createDirectory(
      atPath: target + ".unfinished", withIntermediateDirectories: true)
    for name in left {
      try Data().write(to: URL(fileURLWithPath: "\(target).unfinished/\(name)"))
    }
    _ = try Backup.make(of: directory.path + "/data", to: target)
    expectTrue(!FileManager.default.fileExists(atPath: target + ".unfinished"))
    let names = try FileManager.default.contentsOfDirectory(atPath: target)
    expectEqual(Set(names), ["apps", "keys", BackupManifest.name])
  }

  /// A complete backup may have any name.
  @Test func aCompleteBackupIsNotTakenForAnUnfinishedOne() async throws {
    let (directory, _) = try await Self.backedUp()
    let data = directory.path + "/data"
    _ = try Backup.make(of: data, to: directory.path + "/other.unfinished")
    #expect(throws: ServerFailure.self) {
      try Backup.make(of: data, to: directory.path + "/other")
    }
    try Restore.run(
      from: directory.path + "/other.unfinished", to: directory.path + "/restored", replaces: false)
  }

  /// `Backup` 3: killed when only the mark was left to remove.
  @Test func aBackupWithItsMarkIsWhole() async throws {
    let (directory, backup) = try await Self.backedUp()
    try Data().write(to: URL(fileURLWithPath: backup + "/backup.unfinished"))
    let target = directory.path + "/restored"
    try Restore.run(from: backup, to: target, replaces: false)
    #expect(try !FolderCheck(target).isDamaged)
    expectTrue(!FileManager.default.fileExists(atPath: target + "/backup.unfinished"))
  }

  /// `Restore` 2
  @Test func aFolderInUseIsReplacedOnlyIfTheOperatorSaysSo() async throws {
    let (directory, backup) = try await Self.backedUp()
    let data = directory.path + "/data"
    #expect(throws: ServerFailure.self) {
      try Restore.run(from: backup, to: data, replaces: false)
    }
    let server = try await RunningServer(directory)
    let failure = #expect(throws: ServerFailure.self) {
      try Restore.run(from: backup, to: data, replaces: true)
    }
    expectEqual(failure?.description.contains("Another realm-server uses the folder"), true)
    try await server.stop()
    try Data("x".utf8).write(to: URL(fileURLWithPath: data + "/apps/todos/mine.txt"))
    _ = try Restore.run(from: backup, to: data, replaces: true)
    expectTrue(!FileManager.default.fileExists(atPath: data + "/apps/todos/mine.txt"))
    let names = try FileManager.default.contentsOfDirectory(atPath: data)
    let old = try #require(names.first { $0.hasPrefix("replaced-") })
    expectTrue(FileManager.default.fileExists(atPath: "\(data)/\(old)/apps/todos/mine.txt"))
    expectFalse(names.contains("restoring"))
    expectTrue(names.contains("restored.json"))
    // A folder of something else stays as it is.
    let other = directory.path + "/photos"
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
    try Data().write(to: URL(fileURLWithPath: other + "/cat.jpg"))
    #expect(throws: ServerFailure.self) {
      try Restore.run(from: backup, to: other, replaces: true)
    }
    try await RunningServer(directory).stop()
  }

  // MARK: Interruptions

  /// The moves of the last step of a restore, in their order.
  private static let moves = [
    ("apps", "replaced-2026T1/apps"), ("restoring/apps", "apps"),
    ("keys", "replaced-2026T1/keys"), ("restoring/keys", "keys"),
    ("restoring/restored.json", "restored.json"),
  ]

  /// `RestoreStage` 1 and 2
  @Test(arguments: 0...moves.count) func anInterruptedRestoreIsFinishedByWhoComesNext(
    _ step: Int
  ) throws {
    let directory = try TemporaryDirectory()
    let files = FileManager.default
    func write(_ path: String, _ text: String) throws {
      let url = URL(fileURLWithPath: directory.file(path))
      try files.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: url)
    }
    for part in ["apps", "keys"] {
      try write("\(part)/mark", "old")
      try write("restoring/\(part)/mark", "new")
    }
    try write(
      "restoring/restored.json", #"{"backup":"b","restored":"t","aside":"replaced-2026T1"}"#)
    try files.createDirectory(
      atPath: directory.file("replaced-2026T1"), withIntermediateDirectories: true)
    for (from, to) in Self.moves.prefix(step) {
      try files.moveItem(atPath: directory.file(from), toPath: directory.file(to))
    }
    // Commands that only look do not change anything, and say what is to be done.
    if step < Self.moves.count {
      #expect(throws: ServerFailure.self) { try ServerDirectory(existing: directory.path) }
    }
    _ = try ServerDirectory(directory.path)
    for part in ["apps", "keys"] {
      try expectEqual(
        String(contentsOfFile: directory.file("\(part)/mark"), encoding: .utf8), "new")
      let old = directory.file("replaced-2026T1/\(part)/mark")
      try expectEqual(String(contentsOfFile: old, encoding: .utf8), "old")
    }
    expectEqual(FolderStatistics.restored(directory.path)["backup"]?.string, "b")
  }

  @Test func anIncompleteRestoreIntoAnEmptyFolderStartsNoServer() throws {
    let directory = try TemporaryDirectory()
    try FileManager.default.createDirectory(
      atPath: directory.file("restoring/apps"), withIntermediateDirectories: true)
    let failure = #expect(throws: ServerFailure.self) { try ServerDirectory(directory.path) }
    expectEqual(failure?.description.contains("was interrupted"), true)
    // One into a folder with data does not concern its server.
    try FileManager.default.createDirectory(
      atPath: directory.file("apps"), withIntermediateDirectories: true)
    _ = try ServerDirectory(directory.path)
  }
}
#endif
