// SPDX-License-Identifier: Apache-2.0

// What a server does as a process: signals, and limits of the system.

#if Server
import Foundation
import RealmNetworking
import RealmSync
import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerKit

@Suite(
  .timeLimit(.minutes(10)),
  .enabled(if: ServerProcess.isBuilt, "the program was not built with the tests"))
struct ServerProcessTests {
  /// Whether a client that trusts a certificate alone reaches the server.
  private static func isTrusted(
    _ address: String, _ certificate: TestCertificate
  ) async throws -> Bool {
    let endpoint = SyncEndpoint(
      url: address.replacingOccurrences(of: "https", with: "wss") + "/x", protocolNames: ["p"])
    let sockets = ClientSockets(tls: try certificate.trust())
    let failure = await #expect(throws: SocketClosed.self) { _ = try await sockets.open(endpoint) }
    // A server that is reached answers that it has no such socket.
    return failure?.code == .fatal
  }

  /// The files look as if they had not changed: but for the signal they would be read later.
  @Test func aHangupReadsTheCertificateAgainAndEndsNothing() async throws {
    guard let old = try TestCertificate(), let new = try TestCertificate() else { return }
    let directory = try TemporaryDirectory()
    let server = try await ServerProcess(directory, certificate: old)
    defer { server.kill() }
    #expect(try await Self.isTrusted(server.address, old))
    #expect(try await !Self.isTrusted(server.address, new))
    let files = FileManager.default
    for (place, source) in [
      (old.certificatePath, new.certificatePath), (old.keyPath, new.keyPath),
    ] {
      let date = try #require(try files.attributesOfItem(atPath: place)[.modificationDate] as? Date)
      try files.removeItem(atPath: place)
      try files.copyItem(atPath: source, toPath: place)
      try files.setAttributes([.modificationDate: date], ofItemAtPath: place)
    }
    for _ in 0..<3 { server.send(SIGHUP) }
    for _ in 0..<3_000 where try !server.log().contains("was read again") {
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(try await Self.isTrusted(server.address, new))
    // What cannot be used changes nothing, and ends nothing either.
    try Data("junk".utf8).write(to: URL(fileURLWithPath: old.certificatePath))
    server.send(SIGHUP)
    for _ in 0..<3_000 where try !server.log().contains("stays in use") {
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(try await Self.isTrusted(server.address, new))
    expectTrue(server.isRunning)
  }

  @Test func aHangupOfAServerWithoutCertificateEndsNothing() async throws {
    let directory = try TemporaryDirectory()
    let server = try await ServerProcess(directory)
    defer { server.kill() }
    for _ in 0..<3 {
      server.send(SIGHUP)
      let answer = try await ClientTransport.shared.send(
        HTTPRequest(.get, url: server.address + "/metrics"))
      expectEqual(answer.status, 200)
    }
    expectTrue(server.isRunning)
  }

  /// With and without mistakes; there is no certificate.
  @Test func aHangupAppliesTheFilesOfApps() async throws {
    let directory = try TemporaryDirectory()
    let server = try await ServerProcess(directory)
    defer { server.kill() }
    let file = URL(fileURLWithPath: directory.path + "/data/apps/todos/app.json")
    for (text, expected) in [
      (#"{"id":"todos","mode":"fast"}"#, "(line 1, column 15). Correct the file. Nothing of the"),
      (#"{"id":"todos","mode":"production","sync":"partition"}"#, "are applied; 0 sessions"),
    ] {
      try Data(text.utf8).write(to: file)
      server.send(SIGHUP)
      for _ in 0..<3_000 where try !server.log().contains(expected) {
        try await Task.sleep(for: .milliseconds(10))
      }
      #expect(try server.log().contains(expected))
    }
    expectTrue(server.isRunning)
  }

  @Test func aHangupServesNewFoldersOfApps() async throws {
    let directory = try TemporaryDirectory()
    let server = try await ServerProcess(directory)
    defer { server.kill() }
    let folder = directory.path + "/data/apps/notes"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data(#"{"id":"notes","providers":{"anon-user":{}}}"#.utf8)
      .write(to: URL(fileURLWithPath: folder + "/app.json"))
    server.send(SIGHUP)
    for _ in 0..<3_000 where try !server.log().contains("The app notes is served from now on") {
      try await Task.sleep(for: .milliseconds(10))
    }
    let answer = try await ClientTransport.shared.send(
      HTTPRequest(.get, url: server.address + "/api/client/v2.0/app/notes/location"))
    expectEqual(answer.status, 200)
  }

  @Test func theLimitOfOpenFilesIsRaised() async throws {
    let directory = try TemporaryDirectory()
    let server = try await ServerProcess(directory, openFiles: 200)
    defer { server.kill() }
    let log = try server.log()
    let line = try #require(log.split(separator: "\n").first { $0.contains("Open files") })
    let numbers = line.split { !$0.isNumber }.suffix(2).compactMap { Int($0) }
    expectEqual(numbers.last, 200, "\(line)")
    expectTrue(numbers.first ?? 0 > 200, "\(line)")
  }
}
#endif
