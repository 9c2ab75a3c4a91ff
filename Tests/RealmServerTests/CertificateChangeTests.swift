// SPDX-License-Identifier: Apache-2.0

// Certificates of a server that change while devices are under way.

#if Server
import Foundation
import RealmStorage
import RealmSwift
import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

@Suite(
  .timeLimit(.minutes(10)),
  .enabled(if: ServerProcess.isBuilt, "the program was not built with the tests"))
struct CertificateChangeTests {
  private static func replace(_ old: TestCertificate, by new: TestCertificate) throws {
    for (place, source) in [
      (old.certificatePath, new.certificatePath), (old.keyPath, new.keyPath),
    ] {
      try FileManager.default.removeItem(atPath: place)
      try FileManager.default.copyItem(atPath: source, toPath: place)
    }
  }

  /// A renewed certificate is not noticed by a device. One that it does not trust is named, and
  /// nothing is lost: the device goes on when the server has a certificate that it trusts.
  @Test @MainActor func devicesNameACertificateThatTheyDoNotTrust() async throws {
    guard let first = try TestCertificate(), let renewed = try TestCertificate(),
      let foreign = try TestCertificate()
    else { return }
    let roots = try [first, renewed]
      .map { try String(contentsOfFile: $0.certificatePath, encoding: .utf8) }.joined()
    let directory = try TemporaryDirectory()
    var server = try await ServerProcess(directory, certificate: first)
    defer { server.kill() }
    let port = server.port
    let configuration = AppConfiguration(
      baseURL: server.address, defaultRequestTimeoutMS: UInt(RunningServer.answerLimit))
    configuration.directory = directory.path + "/device"
    configuration.network = NetworkSettings(additionalTrustRoots: roots)
    let app = App(id: "todos", configuration: configuration)
    let errors = Locked<[SyncError]>([])
    app.syncManager.errorHandler = { error, _ in
      if let error = error as? SyncError { errors.withLock { $0.append(error) } }
    }
    let user = try await app.login(credentials: .anonymous)
    var realmConfiguration = user.configuration(partitionValue: "home")
    realmConfiguration.objectTypes = [Todo.self]
    let realm = try await Realm(configuration: realmConfiguration, actor: MainActor.shared)
    let session = try #require(realm.syncSession)
    func add(_ name: String) async throws {
      try await realm.asyncWrite { realm.add(Todo(value: ["name": name])) }
    }
    try await add("a")
    try await session.wait(for: .upload)
    // Renewed under a connection, which goes on.
    try Self.replace(first, by: renewed)
    server.send(SIGHUP)
    try await server.wait(for: "was read again")
    try await add("b")
    try await session.wait(for: .upload)
    #expect(errors.withLock { $0.isEmpty })
    // Another one, under which the server starts again.
    try await server.end()
    try Self.replace(first, by: foreign)
    server = try await ServerProcess(directory, certificate: first, port: port)
    try await add("c")
    session.reconnect()
    for _ in 0..<3_000
    where errors.withLock({ $0.isEmpty })
      || session.currentError?.message.contains("secured") != true
    {
      try await Task.sleep(for: .milliseconds(20))
    }
    let error = try #require(errors.withLock { $0.first })
    expectEqual(error.code, .tlsHandshakeFailed)
    let start =
      "The connection to 127.0.0.1:\(port) could not be secured: the certificate of the server has "
      + "expired, or this device does not trust who issued it"
    expectTrue(error.message.hasPrefix(start), "\(error.message)")
    expectEqual(session.currentError?.message.hasPrefix(start), true)
    expectTrue(user.isLoggedIn)
    expectEqual(session.state, .active)
    // The operator puts the renewed one back.
    try Self.replace(first, by: renewed)
    server.send(SIGHUP)
    try await server.wait(for: "was read again")
    session.reconnect()
    try await session.wait(for: .upload)
    for _ in 0..<3_000 where session.currentError != nil {
      try await Task.sleep(for: .milliseconds(20))
    }
    expectTrue(session.currentError == nil)
  }
}
#endif
