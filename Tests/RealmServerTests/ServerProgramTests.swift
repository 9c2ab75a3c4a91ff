// SPDX-License-Identifier: Apache-2.0

// The folder of a server, its options and its routes over HTTP.

#if Server
import Foundation
import Logging
import RealmNetworking
import RealmServerEngine
import RealmServerServices
import RealmSync
import RealmSyncProtocol
import RealmFormats
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerKit

@Suite(.timeLimit(.minutes(10))) struct ServerProgramTests {
  private static func failure(_ body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test func anEmptyFolderGetsAnAppOnce() throws {
    let directory = try TemporaryDirectory()
    let folder = try ServerDirectory(directory.path + "/data")
    let apps = try folder.apps(only: nil, random: RandomBytes())
    expectEqual(apps.count, 1)
    expectTrue(apps[0].accounts.allowsAnonymous)
    try expectEqual(folder.apps(only: nil, random: RandomBytes()), apps)
    let failure = Self.failure { _ = try folder.apps(only: "zebra", random: RandomBytes()) }
    expectEqual(failure?.contains("--create"), true)
    expectEqual(failure?.contains(apps[0].id), true)
    try expectEqual(folder.apps(only: nil, random: RandomBytes()), apps)
    try expectEqual(
      folder.apps(only: "zebra", creates: true, random: RandomBytes()).map(\.id), ["zebra"])
    try expectEqual(folder.apps(only: "zebra", random: RandomBytes()).map(\.id), ["zebra"])
    try expectEqual(folder.apps(only: nil, random: RandomBytes()).count, 2)
    let key = try folder.signingKey(random: RandomBytes())
    try expectEqual(folder.signingKey(random: RandomBytes()), key)
    let attributes = try FileManager.default.attributesOfItem(
      atPath: directory.path + "/data/keys/tokens")
    expectEqual(attributes[.posixPermissions] as? Int, 0o600)
  }

  @Test func filesWithSecretsAreForTheirOwner() async throws {
    let directory = try TemporaryDirectory()
    let data = directory.path + "/data"
    let manager = FileManager.default
    func rights(_ path: String) throws -> Int? {
      try manager.attributesOfItem(atPath: "\(data)/\(path)")[.posixPermissions] as? Int
    }
    let secrets = ["keys/tokens", "apps/todos/app.json", "apps/todos/accounts.realm"]
    func start() throws {
      let options = try ServerOptions(directory: data, listen: "127.0.0.1:0", appID: "todos")
      _ = try ServerProgram(
        options, metrics: PrometheusMetrics(), logger: Logger(label: "test"))
    }
    try start()
    for path in secrets { try expectEqual(rights(path), 0o600, "\(path)") }
    for folder in ["keys", "apps", "apps/todos"] { try expectEqual(rights(folder), 0o700) }
    // A backup that was put back has the rights of the program that did it.
    for path in secrets {
      try manager.setAttributes([.posixPermissions: 0o644], ofItemAtPath: "\(data)/\(path)")
    }
    for folder in ["keys", "apps", "apps/todos"] {
      try manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: "\(data)/\(folder)")
    }
    try start()
    for path in secrets { try expectEqual(rights(path), 0o600, "\(path)") }
    for folder in ["keys", "apps", "apps/todos"] { try expectEqual(rights(folder), 0o700) }
  }

  @Test func damageIsExplained() throws {
    let directory = try TemporaryDirectory()
    let folder = try ServerDirectory(directory.path + "/data")
    _ = try folder.apps(only: "todos", random: RandomBytes())
    _ = try folder.signingKey(random: RandomBytes())
    let file = directory.path + "/data/apps/todos/app.json"
    try Data(#"{"id":"todos","colour":1}"#.utf8).write(to: URL(fileURLWithPath: file))
    let failure = Self.failure { _ = try folder.apps(only: nil, random: RandomBytes()) } ?? ""
    expectTrue(
      failure.hasPrefix("\(file) has the unknown key \"colour\": there are "), "\(failure)")
    expectTrue(failure.hasSuffix("values (line 1, column 15). Correct the file."), "\(failure)")
    let key = directory.path + "/data/keys/tokens"
    try Data("short".utf8).write(to: URL(fileURLWithPath: key))
    expectEqual(
      Self.failure { _ = try folder.signingKey(random: RandomBytes()) }?.contains("is damaged"),
      true)
    let place = directory.file("file")
    try Data().write(to: URL(fileURLWithPath: place))
    expectEqual(Self.failure { _ = try ServerDirectory(place) }?.contains("--dir"), true)
  }

  /// Serves a folder once and stops, so that it is in use.
  private static func usedFolder() async throws -> TemporaryDirectory {
    let server = try await RunningServer()
    let user = try await server.user()
    let device = try await ServedDevice(user.connection())
    try device.put(1, "x")
    try await device.wait(for: .upload)
    await device.close()
    try await server.stop()
    return server.directory
  }

  /// `ServerDirectory+Check` 1: what is missing from a folder in use is an error with a remedy.
  @Test(arguments: ["accounts.realm", "key", "realm"], [true, false])
  func aFolderThatLacksAFileIsNotServed(_ file: String, isEmptied: Bool) async throws {
    let folder = try await Self.usedFolder()
    let data = folder.path + "/data"
    let realms = data + "/apps/todos/realms"
    let realm = try #require(
      try FileManager.default.contentsOfDirectory(atPath: realms).first { $0.hasSuffix(".realm") })
    let path =
      switch file {
      case "key": data + "/keys/tokens"
      case "realm": realms + "/" + realm
      default: data + "/apps/todos/accounts.realm"
      }
    try FileManager.default.removeItem(atPath: path)
    if isEmptied { try Data().write(to: URL(fileURLWithPath: path)) }
    let error = await #expect(throws: ServerFailure.self) { try await RunningServer(folder) }
    expectEqual(error?.description.hasPrefix(path), true)
    expectEqual(error?.description.contains("--replace-missing"), true)
    expectEqual(
      (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0, 0)
    let server = try await RunningServer(folder, replacesMissing: true)
    _ = try await server.user()
    try await server.stop()
  }

  /// `RealmRecord` 1: what is recorded is missed, whatever went with it. A server of before kept no
  /// record; it is made of what is there.
  @Test(arguments: [true, false], [true, false])
  func aRealmThatVanishedWithItsLockFileIsMissed(
    _ isFolder: Bool, isOfOlderServer: Bool
  ) async throws {
    let folder = try await Self.usedFolder()
    let app = folder.path + "/data/apps/todos"
    let files = FileManager.default
    let realm = try #require(
      try files.contentsOfDirectory(atPath: app + "/realms").first { $0.hasSuffix(".realm") })
    let path = app + "/realms/" + realm
    if isOfOlderServer {
      try files.removeItem(atPath: app + "/directory.realm")
      try await RunningServer(folder).stop()
    }
    for lost in isFolder ? [app + "/realms"] : [path, path + ".lock"] {
      try files.removeItem(atPath: lost)
    }
    let error = await #expect(throws: ServerFailure.self) { try await RunningServer(folder) }
    expectEqual(
      error?.description.hasPrefix(path + " is missing"), true, "\(String(describing: error))")
    expectEqual(error?.description.contains("--replace-missing"), true)
    // The operator goes on without it, once.
    try await RunningServer(folder, replacesMissing: true).stop()
    let server = try await RunningServer(folder)
    let device = try await ServedDevice(try await server.user().connection())
    try device.put(1, "x")
    try await device.wait(for: .upload)
    await device.close()
    try await server.stop()
    expectTrue(files.fileExists(atPath: path))
  }

  @Test(arguments: ["accounts.realm", "realm", "name of another realm"])
  func anotherFileUnderItsNameIsNotServed(_ file: String) async throws {
    let folder = try await Self.usedFolder()
    let app = folder.path + "/data/apps/todos"
    let realm = try #require(
      try FileManager.default.contentsOfDirectory(atPath: app + "/realms")
        .first { $0.hasSuffix(".realm") })
    let (realmPath, accounts) = ("\(app)/realms/\(realm)", app + "/accounts.realm")
    let (to, from) =
      switch file {
      case "realm": (realmPath, accounts)
      case "accounts.realm": (accounts, realmPath)
      default: (app + "/realms/p_00.realm", realmPath)
      }
    try? FileManager.default.removeItem(atPath: to)
    try FileManager.default.copyItem(atPath: from, toPath: to)
    let error = await #expect(throws: ServerFailure.self) {
      try await RunningServer(folder, replacesMissing: true)
    }
    expectEqual(error?.description.hasPrefix(to), true)
  }

  @Test(arguments: [
    ("9090", nil, nil, nil, "--listen"), ("a:b", nil, nil, nil, "--listen"),
    ("a:70000", nil, nil, nil, "--listen"), ("a:1", "ftp://x", nil, nil, "--public-url"),
    ("a:1", "https://", nil, nil, "--public-url"), ("a:1", "https://a b", nil, nil, "--public-url"),
    ("a:1", "https://u:p@a", nil, nil, "--public-url"),
    ("a:1", "https://a/?q", nil, nil, "--public-url"),
    ("a:1", "https://a#f", nil, nil, "--public-url"),
    ("a:1", "https://a:0", nil, nil, "--public-url"),
    ("a:1", "https://a\r\nX: y", nil, nil, "--public-url"),
    ("a:1", nil, "c", nil, "--tls-cert"), ("a:1", nil, nil, "UPPER", "--app-id"),
  ])
  func badOptionsAreExplained(
    _ listen: String, _ url: String?, _ certificate: String?, _ id: String?, _ expected: String
  ) {
    let text = Self.failure {
      _ = try ServerOptions(
        directory: "d", listen: listen, publicURL: url, certificate: certificate, appID: id)
    }
    expectEqual(text?.contains(expected), true)
  }

  @Test func aPortThatIsTakenIsExplained() async throws {
    let server = try await RunningServer()
    let port = try #require(server.address.split(separator: ":").last.flatMap { Int($0) })
    let error = await #expect(throws: ServerFailure.self) { try await RunningServer(port: port) }
    expectEqual(error?.description.contains("Another program listens on 127.0.0.1:\(port)"), true)
    try await server.stop()
  }

  @Test func aFolderHasOneServer() async throws {
    let server = try await RunningServer()
    let error = await #expect(throws: ServerFailure.self) {
      try await RunningServer(server.directory)
    }
    expectEqual(error?.description.contains("Another realm-server uses the folder"), true)
    try await server.stop()
    let next = try await RunningServer(server.directory)
    try await next.stop()
  }

  @Test func anErrorHasTheContentTypeThatClientsRead() async throws {
    let server = try await RunningServer()
    let response = try await ClientTransport.shared.send(
      HTTPRequest(
        .get, url: server.address + "/api/client/v2.0/auth/profile",
        headers: [HTTPHeader("Authorization", "Bearer a.b.c")]))
    expectEqual(response.status, 401)
    expectEqual(response[header: "content-type"], "application/json")
    let user = try await server.user()
    let failure = await #expect(throws: AppFailure.self) {
      try await user.client.call("f", [], as: user.user)
    }
    guard case .service("FunctionNotFound", "function not found: 'f'", 404, let link)? = failure
    else {
      Issue.record("\(String(describing: failure))")
      return
    }
    // Of the request in the log.
    expectEqual(link?.hasPrefix(server.address), true)
    try await user.client.register(email: "ann@x.org", password: "secret1")
    let ann = try await user.client.logIn(.emailPassword("ann@x.org", "secret1"))
    expectEqual(ann.record.profile, [BSONElement("email", .string("ann@x.org"))])
    try await user.client.refreshToken(of: ann)
    try await user.client.logOut(ann)
    try await server.stop()
  }

  @Test func metricsAreCounted() async throws {
    let server = try await RunningServer()
    let user = try await server.user()
    let device = try await ServedDevice(user.connection())
    try device.put(1, "x")
    try await device.wait(for: .upload)
    let text = String(
      decoding: try await ClientTransport.shared.send(
        HTTPRequest(.get, url: server.address + "/metrics")
      ).body, as: UTF8.self)
    for line in [
      "# TYPE realm_connections_total counter", "realm_connections_total 1",
      "realm_connections_open 1.0", "realm_sessions_total 1",
    ] { #expect(text.contains(line + "\n"), "\(line)") }
    expectFalse(text.contains("realm_uploads_total 0\n"))
    expectFalse(text.contains("realm_downloads_total 0\n"))
    await device.close()
    try await server.stop()
  }

  @Test func thereIsNoAnswerFromAPortThatIsClosed() async throws {
    let server = try await RunningServer()
    try await server.stop()
    let failure = await #expect(throws: AppFailure.self) {
      try await ClientTransport.shared.send(HTTPRequest(.get, url: server.address + "/"))
    }
    guard case .transport? = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
  }

  @Test func signaturesAndHashesAreThoseOfTheirStandards() throws {
    // RFC 4231, test case 2, and RFC 7914, the third vector.
    let hmac = HMACSigner(key: Array("Jefe".utf8))
      .signature(of: Array("what do ya want for nothing?".utf8))
    expectEqual(
      hmac.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined(),
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    let scrypt = try ScryptHasher().hash(
      Array("pleaseletmein".utf8), salt: Array("SodiumChloride".utf8))
    expectEqual(scrypt.prefix(8), [0x70, 0x23, 0xBD, 0xCB, 0x3A, 0xFD, 0x73, 0x48])
  }
}
#endif
