// SPDX-License-Identifier: Apache-2.0

// The program `realm-server` in a process of its own.

#if Server
import RealmServerEngine
import RealmSyncProtocol
import Foundation
import RealmFormats
import RealmNetworking
import RealmServerServices
import RealmSync
import RealmTestSupport
import Testing

/// A server that runs until it is killed.
final class ServerProcess: Sendable {
  static let path = URL(fileURLWithPath: CommandLine.arguments[0])
    .deletingLastPathComponent().appendingPathComponent("realm-server").path

  static var isBuilt: Bool { FileManager.default.isExecutableFile(atPath: path) }

  let address: String
  private let program: SpawnedProgram
  private let errorPath: String

  /// Starts a server with an app in partition mode, and waits until it listens.
  ///
  /// - Parameters:
  ///   - openFiles: The limit of open files with which it begins; nil for that of the test.
  ///   - launcher: A program that starts it, with arguments before its path.
  ///   - port: The port of an earlier server; 0 for one that is free.
  init(
    _ directory: TemporaryDirectory, app: String = "todos", certificate: TestCertificate? = nil,
    openFiles: Int? = nil, launcher: [String] = [], port: Int = 0
  ) async throws {
    let folder = directory.path + "/data/apps/" + app
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data(JSONWriter.bytes(AppFile(id: app, name: app, mode: .partition).json))
      .write(to: URL(fileURLWithPath: folder + "/app.json"))
    let output = directory.path + "/output.txt"
    errorPath = directory.path + "/errors.txt"
    var arguments = [
      "serve", "--dir", directory.path + "/data", "--listen", "127.0.0.1:\(port)",
      "--sockets-per-user", "10000",
    ]
    if let certificate {
      arguments += ["--tls-cert", certificate.certificatePath, "--tls-key", certificate.keyPath]
    }
    var launcher = launcher
    if let openFiles {
      launcher = ["/bin/sh", "-c", "ulimit -Sn \(openFiles) && exec \"$0\" \"$@\""]
    }
    let words = launcher + [Self.path] + arguments
    program = try SpawnedProgram(
      words[0], Array(words.dropFirst()), output: .file(output), errors: .file(errorPath))
    var text = ""
    for _ in 0..<6_000 where !text.contains("\"))") {
      try await Task.sleep(for: .milliseconds(10))
      text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
    }
    let start = try #require(text.firstRange(of: "http")?.lowerBound)
    address = String(text[start...].prefix { $0 != "\"" })
  }

  /// Runs the program with a mistake until it ends. One that serves all the same is killed after a
  /// while.
  static func run(
    _ arguments: [String], in directory: TemporaryDirectory
  ) async throws -> (status: Int32, errors: String) {
    let errors = directory.file("mistake.txt")
    let program = try SpawnedProgram(path, arguments, output: .null, errors: .file(errors))
    for _ in 0..<6_000 where program.isRunning { try await Task.sleep(for: .milliseconds(10)) }
    program.kill()
    return (program.waitUntilExit(), try String(contentsOfFile: errors, encoding: .utf8))
  }

  /// Kills it, and waits for its end.
  func end() async throws {
    kill()
    for _ in 0..<6_000 where isRunning { try await Task.sleep(for: .milliseconds(10)) }
  }

  /// Waits until it has said something about itself.
  func wait(for text: String, _ location: SourceLocation = #_sourceLocation) async throws {
    for _ in 0..<6_000 {
      if try log().contains(text) { return }
      try await Task.sleep(for: .milliseconds(20))
    }
    let log = try log()
    Issue.record("no \"\(text)\" in \(log)", sourceLocation: location)
  }

  var port: Int { address.split(separator: ":").last.flatMap { Int($0) } ?? 0 }

  /// Logs a new anonymous user in.
  func user(of app: String = "todos") async throws -> TestUser {
    let client = AppClient(
      forgetting: AppSettings(
        id: app, baseURL: address, requestTimeout: RunningServer.answerLimit),
      transport: ClientTransport.shared)
    return TestUser(client: client, user: try await client.logIn(.anonymous))
  }

  var identifier: pid_t { program.identifier }

  func kill() { program.kill() }

  func send(_ signal: Int32) { program.kill(signal) }

  var isRunning: Bool { program.isRunning }

  /// What it has said about itself.
  func log() throws -> String { try String(contentsOfFile: errorPath, encoding: .utf8) }

  /// The memory that the process alone holds.
  func residentByteCount() throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(program.identifier)/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") })
    return try #require(Int(line.filter { $0.isNumber })) << 10
  }
}
#endif
