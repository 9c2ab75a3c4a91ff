// SPDX-License-Identifier: Apache-2.0

// The commands of operators: users, apps, statistics, checks, smaller files.

#if Server
import Foundation
import RealmFormats
import RealmServerEngine
import RealmServerServices
import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServer
@testable import RealmServerKit

@Suite(.timeLimit(.minutes(10))) struct OperationCommandTests {
  private static func folder(_ server: RunningServer) -> String { server.directory.path + "/data" }

  // MARK: Users

  @Test func usersAreListed() async throws {
    let server = try await RunningServer(mode: .partition)
    let user = try await server.user()
    _ = try await server.user()
    let folder = Self.folder(server)
    let json = try JSONParser.parse(
      try await UsersCommand.list(folder, nil, search: "", isJSON: true))
    let users = try #require(json["users"]?.array)
    expectEqual(users.count, 2)
    #expect(users.allSatisfy { $0["sessions"]?.integer == 1 && $0["disabled"]?.bool == false })
    let line = try await UsersCommand.list(folder, nil, search: user.user.id, isJSON: false)
    expectTrue(line.hasPrefix(user.user.id))
    expectTrue(line.contains("1 login  anon-user"))
    try await expectEqual(
      UsersCommand.list(folder, "todos", search: "nobody", isJSON: false),
      "The app has no such user.")
    await #expect(throws: ServerFailure.self) {
      try await UsersCommand.list(folder, "other", search: "", isJSON: false)
    }
    try await server.stop()
  }

  @Test func aDeletedUserLosesAllConnectionsAtOnce() async throws {
    let server = try await RunningServer(mode: .partition)
    let client = try await DeployedClient(server)
    let (login, other) = (try await client.logIn(), try await client.logIn())
    var sessions: [DeployedSession] = []
    for token in [login.accessToken, other.accessToken] {
      let session = DeployedSession(
        try await client.socket(DeployedClient.partition, token: token), isFlexible: false)
      try await session.begin()
      sessions.append(session)
    }
    let folder = Self.folder(server)
    try await expectEqual(
      UsersCommand.delete(folder, nil, user: login.user, email: nil),
      "The user \(login.user) of the app todos is deleted")
    try await expectEqual(sessions[0].socket.closeCode(), 4002)
    try await sessions[1].mark()
    await #expect(throws: ServerFailure.self) {
      try await UsersCommand.delete(folder, nil, user: login.user, email: nil)
    }
    await client.leave()
    try await server.stop()
    // Without a server, too.
    try await expectEqual(
      UsersCommand.delete(folder, nil, user: other.user, email: nil),
      "The user \(other.user) of the app todos is deleted")
    try await expectEqual(
      UsersCommand.list(folder, nil, search: "", isJSON: false),
      "The app has no users.")
  }

  // MARK: Statistics

  @Test func statisticsShowRealmsDevicesAndWhoIsBehind() async throws {
    let server = try await RunningServer(mode: .partition)
    let folder = Self.folder(server)
    let user = try await server.user()
    let writer = try await ServedDevice(user.connection())
    let away = try await ServedDevice(try await server.user().connection())
    try writer.put(1, "a")
    try await writer.wait(for: .upload)
    try await away.wait(for: [1: "a"])
    await away.close()
    for number in 2..<6 {
      try writer.put(Int64(number), "b")
      try await writer.wait(for: .upload)
    }
    func devices() async throws -> [JSONValue] {
      let json = try JSONParser.parse(try await StatsCommand.answer(folder, nil, isJSON: true))
      let app = try #require(json["apps"]?.array?.first)
      expectEqual(app["id"]?.string, "todos")
      expectEqual(app["users"]?.integer, 2)
      let realm = try #require(app["realms"]?.array?.first)
      expectEqual(realm["partition"]?.string, "\"home\"")
      expectEqual(realm["classes"]?.array?.first?["objects"]?.integer, 5)
      expectEqual(realm["history"]?.integer, realm["version"]?.integer)
      return try #require(realm["clients"]?.array)
    }
    // The server hears of the end of a device's connection a moment later.
    var found = try await devices()
    for _ in 0..<600 where found.count(where: { $0["state"]?.string == "connected" }) != 1 {
      try await Task.sleep(for: .milliseconds(50))
      found = try await devices()
    }
    let (present, absent) = (
      found.filter { $0["state"]?.string == "connected" },
      found.filter { $0["state"]?.string == "away" }
    )
    expectEqual(present.count, 1)
    expectEqual(absent.count, 1)
    expectEqual(present.first?["user"]?.string, user.user.id)
    expectTrue((absent.first?["behind"]?.integer ?? 0) >= 4)
    let text = try await StatsCommand.answer(folder, "todos", withDevices: true, isJSON: false)
    expectTrue(text.contains("partition \"home\": "))
    expectTrue(text.contains(": connected, "))
    await writer.close()
    try await server.stop()
    #expect(try await devices().allSatisfy { $0["state"]?.string == "away" })
    #expect(
      try await StatsCommand.answer(folder, nil, isJSON: false)
        .hasPrefix("no server runs: who is connected is not known\ntodos (partitions, "))
    #expect(
      try AppsCommand.answer(folder, isJSON: false)
        .contains(": 2 users, 2 logins, 1 realm, "))
    let apps = try JSONParser.parse(try AppsCommand.answer(folder, isJSON: true))
    expectEqual(apps.array?.first?["realmCount"]?.integer, 1)
    await #expect(throws: ServerFailure.self) {
      try await StatsCommand.answer(folder, "other", isJSON: false)
    }
  }

  /// A server that was killed leaves its folder of requests: commands do not wait for it.
  /// `CommandRequests` 1
  @Test func aKilledServerIsNotWaitedFor() async throws {
    let server = try await RunningServer(mode: .partition)
    let folder = Self.folder(server) + "/requests"
    expectTrue(FileManager.default.fileExists(atPath: folder))
    try await server.stop()
    expectFalse(FileManager.default.fileExists(atPath: folder))
    let requests = CommandRequests(Self.folder(server))
    requests.begin()
    try await expectEqual(requests.ask(.status, patience: .seconds(3_600)), nil)
  }

  /// A server that has the lock and does not answer is no server that is not there.
  /// `CommandRequests` 3
  @Test func aServerThatDoesNotAnswerIsAFailure() async throws {
    let server = try await RunningServer(mode: .partition)
    try await server.stop()
    let folder = Self.folder(server)
    let requests = CommandRequests(folder)
    let lock = try DirectoryLock(folder)
    func failure() async -> String {
      do throws(ServerFailure) {
        let answer = try await requests.ask(.endAccess, patience: .milliseconds(200))
        return "no failure: \(String(describing: answer))"
      } catch {
        return error.description
      }
    }
    // It begins: there is no folder for requests yet.
    await expectTrue(failure().contains("has not taken the request 'endAccess'"))
    requests.begin()
    await expectTrue(failure().contains("has not taken the request 'endAccess'"))
    let taking = Task {
      while requests.take().isEmpty { try await Task.sleep(for: .milliseconds(5)) }
    }
    await expectTrue(failure().contains("has taken the request 'endAccess' and not answered yet"))
    try await taking.value
    lock.release()
    try await expectEqual(requests.ask(.endAccess, patience: .milliseconds(200)), nil)
  }

  /// `CommandRequests` 2
  @Test func requestsAndAnswersAreWholeAndTakenOnce() async throws {
    let directory = try TemporaryDirectory()
    let lock = try DirectoryLock(directory.path)
    let requests = CommandRequests(directory.path)
    requests.begin()
    let folder = directory.path + "/requests"
    // One that is being written.
    try Data("half".utf8).write(to: URL(fileURLWithPath: folder + "/a.createUser.new"))
    expectTrue(requests.take().isEmpty)
    let asking = Task {
      try await requests.ask(.createUser, "the content", patience: .seconds(600))
    }
    var taken: [CommandRequests.Request] = []
    while taken.isEmpty {
      taken = requests.take()
      try await Task.sleep(for: .milliseconds(1))
    }
    expectEqual(taken.map(\.content), ["the content"])
    // It is not there any more while it is carried out, so nobody carries it out again.
    expectTrue(requests.take().isEmpty)
    try expectEqual(
      FileManager.default.contentsOfDirectory(atPath: folder), ["a.createUser.new"])
    requests.answer(taken[0].name, CommandRequests.Answer(isDone: true, text: "x"))
    try await expectEqual(asking.value?.text, "x")
    // Nobody reads a part of an answer.
    let text = String(repeating: "x", count: 1 << 20)
    let isDone = Locked(false)
    let answering = Task {
      for _ in 0..<12 { requests.answer("b", CommandRequests.Answer(isDone: true, text: text)) }
      isDone.withLock { $0 = true }
    }
    var sizes: Set<Int> = []
    while !isDone.withLock({ $0 }) {
      if let answer = FileManager.default.contents(atPath: folder + "/b.answer") {
        sizes.insert(answer.count)
      }
      await Task.yield()
    }
    await answering.value
    expectEqual(sizes, [text.utf8.count + 1])
    lock.release()
  }

  /// What the account of the server may not read is answered, and not left.
  @Test func aRequestThatCannotBeReadIsAnswered() throws {
    let directory = try TemporaryDirectory()
    let requests = CommandRequests(directory.path)
    requests.begin()
    let name = directory.path + "/requests/a"
    try FileManager.default.createDirectory(
      atPath: name + ".apply", withIntermediateDirectories: true)
    expectTrue(requests.take().isEmpty)
    let answer = try String(contentsOfFile: name + ".answer", encoding: .utf8)
    expectTrue(answer.hasPrefix("-The server may not read the request"), "\(answer)")
    expectFalse(FileManager.default.fileExists(atPath: name + ".apply"))
  }

  /// The superuser's command is one of the account that owns the folder, as a unit's own user.
  @Test(.enabled(if: geteuid() == 0))
  func aRequestOfTheSuperuserIsTheServers() async throws {
    let directory = try TemporaryDirectory()
    let lock = try DirectoryLock(directory.path)
    let requests = CommandRequests(directory.path)
    requests.begin()
    let folder = directory.path + "/requests"
    expectEqual(chown(folder, 12_345, 12_346), 0)
    let asking = Task { try await requests.ask(.apply, patience: .seconds(600)) }
    var owner: (UInt32, UInt32)?
    while owner == nil {
      for file in try FileManager.default.contentsOfDirectory(atPath: folder)
      where file.hasSuffix(".apply") {
        var facts = stat()
        if stat(folder + "/" + file, &facts) == 0 { owner = (facts.st_uid, facts.st_gid) }
      }
      try await Task.sleep(for: .milliseconds(5))
    }
    expectEqual(owner?.0, 12_345)
    expectEqual(owner?.1, 12_346)
    let taken = try #require(requests.take().first)
    requests.answer(taken.name, CommandRequests.Answer(isDone: true, text: "x"))
    try await expectEqual(asking.value?.text, "x")
    lock.release()
  }

  // MARK: Checks

  /// A folder that is served from a database has neither users nor realms.
  @Test func aFolderWhoseUsersAreInADatabaseIsWhole() async throws {
    let server = try await RunningServer(mode: .partition)
    _ = try await server.user()
    try await server.stop()
    let folder = Self.folder(server)
    #expect(try !FolderCheck(folder).isDamaged)
    try FileManager.default.removeItem(atPath: folder + "/apps/todos/accounts.realm")
    #expect(try FolderCheck(folder).isDamaged)
    try Data("{}".utf8).write(to: URL(fileURLWithPath: folder + "/shared.json"))
    let check = try FolderCheck(folder)
    expectFalse(check.isDamaged, "\(check.text)")
  }

  /// The files of a folder and of its folders, by their paths.
  private static func contents(_ folder: String) throws -> [String: Data] {
    var found: [String: Data] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder) {
      found[path] = FileManager.default.contents(atPath: folder + "/" + path) ?? Data()
    }
    return found
  }

  /// `FolderCheck` 1
  @Test func aCheckFindsWhatIsDamagedOrMissing() async throws {
    let server = try await RunningServer(mode: .partition)
    let folder = Self.folder(server)
    let user = try await server.user()
    for partition in ["\"a\"", "\"b\""] {
      let device = try await ServedDevice(user.connection(), partition: partition)
      try device.put(1, String(repeating: "z", count: 100_000))
      try await device.wait(for: .upload)
      await device.close()
    }
    // Beside the running server, too.
    #expect(try !FolderCheck(folder).isDamaged)
    try await server.stop()
    let whole = try FolderCheck(folder)
    expectFalse(whole.isDamaged, "\(whole.text)")
    expectTrue(whole.text.hasSuffix("files are whole."), "\(whole.text)")
    expectEqual(whole.json["damaged"]?.bool, false)
    let realms = folder + "/apps/todos/realms/"
    try FileManager.default.removeItem(atPath: realms + "p_=22a=22.realm")
    let path = realms + "p_=22b=22.realm"
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    for index in stride(from: 4_096, to: bytes.count, by: 97) { bytes[index] ^= 0x5A }
    try bytes.write(to: URL(fileURLWithPath: path))
    try Data("x".utf8).write(to: URL(fileURLWithPath: folder + "/keys/tokens-until-9999999999"))
    try Data(#"{"id":"todos","mode":"fast"}"#.utf8)
      .write(to: URL(fileURLWithPath: folder + "/apps/todos/app.json"))
    let before = try Self.contents(folder)
    let damaged = try FolderCheck(folder)
    try expectTrue(Self.contents(folder) == before, "the check has changed something")
    expectTrue(damaged.isDamaged)
    expectEqual(damaged.json["damaged"]?.bool, true)
    let found = Set(damaged.items.filter { !$0.findings.isEmpty }.map { $0.path })
    expectEqual(
      found,
      [
        realms + "p_=22a=22.realm", path, folder + "/keys/tokens-until-9999999999",
        folder + "/apps/todos/app.json",
      ], "\(damaged.text)")
    expectTrue(damaged.text.contains("it is missing, and was made before"))
    expectTrue(damaged.text.hasSuffix("Keep them, and restore a backup."))
  }

  // MARK: Compaction

  /// `Compaction` 1
  @Test func filesInUseStayAsTheyAreAndOthersBecomeSmaller() async throws {
    let server = try await RunningServer(mode: .partition)
    let folder = Self.folder(server)
    let user = try await server.user()
    let device = try await ServedDevice(user.connection())
    for round in 0..<20 {
      try device.put(1, String(repeating: "\(round)", count: 50_000))
      try await device.wait(for: .upload)
    }
    let busy = try Compaction(folder)
    expectEqual(busy.items.first { $0.path.hasSuffix("home=22.realm") }?.after, .some(nil))
    #expect(busy.text.contains(", in use, stays as it is"))
    await device.close()
    try await server.stop()
    // This process has the files still: others that nobody has open.
    let copy = try TemporaryDirectory()
    try FileManager.default.copyItem(atPath: folder, toPath: copy.file("data"))
    let text = try CompactCommand.answer(copy.file("data"), "todos", isJSON: false)
    expectTrue(text.contains("p_=22home=22.realm: "))
    expectTrue(text.hasSuffix(" are free now"))
    expectFalse(text.contains("in use"))
    #expect(try !FolderCheck(copy.file("data")).isDamaged)
    let json = try JSONParser.parse(
      try CompactCommand.answer(copy.file("data"), nil, isJSON: true))
    expectEqual(
      json.array?.allSatisfy { ($0["after"]?.integer ?? .max) <= ($0["before"]?.integer ?? 0) },
      true)
    // The server goes on with the files.
    let second = try await RunningServer(copy)
    let other = try await ServedDevice(try await second.user().connection())
    try await other.wait(for: [1: String(repeating: "19", count: 50_000)])
    await other.close()
    try await second.stop()
  }

  @Test(arguments: [
    (0, "0 bytes"), (1, "1 byte"), (1_023, "1023 bytes"), (1_024, "1.0 KiB"), (20_000, "20 KiB"),
    (5 << 30, "5.0 GiB"), (3 << 42, "12 TiB"),
  ])
  func sizesAreForPeople(_ count: Int, _ text: String) {
    expectEqual(ByteText.text(count), text)
  }
}
#endif
