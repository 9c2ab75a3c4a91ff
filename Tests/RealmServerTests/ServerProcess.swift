// SPDX-License-Identifier: Apache-2.0

// The program `realm-server` in a process of its own.

#if Server
import RealmSyncProtocol
import Foundation
import RealmServerEngine
import RealmFormats
import RealmTestSupport
import Testing

/// A server that runs until it is killed.
final class ServerProcess: Sendable {
  private static let path = URL(fileURLWithPath: CommandLine.arguments[0])
    .deletingLastPathComponent().appendingPathComponent("realm-server").path

  static var isBuilt: Bool { FileManager.default.isExecutableFile(atPath: path) }

  let address: String
  private let program: SpawnedProgram
  private let errorPath: String

  /// Starts a server with an app in partition mode, and waits until it listens.
  ///
  /// - Parameter openFiles: The limit of open files with which it begins; nil for that of the test.
  init(
    _ directory: TemporaryDirectory, app: String = "todos", certificate: TestCertificate? = nil,
    openFiles: Int? = nil
  ) async throws {
    let folder = directory.path + "/data/apps/" + app
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data(JSONWriter.bytes(AppFile(id: app, name: app, mode: .partition).json))
      .write(to: URL(fileURLWithPath: folder + "/app.json"))
    let output = directory.path + "/output.txt"
    errorPath = directory.path + "/errors.txt"
    var arguments = [
      "serve", "--dir", directory.path + "/data", "--listen", "127.0.0.1:0",
      "--sockets-per-user", "10000",
    ]
    if let certificate {
      arguments += ["--tls-cert", certificate.certificatePath, "--tls-key", certificate.keyPath]
    }
    if let openFiles {
      arguments = ["-c", "ulimit -Sn \(openFiles) && exec \"$0\" \"$@\"", Self.path] + arguments
    }
    program = try SpawnedProgram(
      openFiles == nil ? Self.path : "/bin/sh", arguments, output: .file(output),
      errors: .file(errorPath))
    var text = ""
    for _ in 0..<6_000 where !text.contains("\"))") {
      try await Task.sleep(for: .milliseconds(10))
      text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
    }
    let start = try #require(text.firstRange(of: "http")?.lowerBound)
    address = String(text[start...].prefix { $0 != "\"" })
  }

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
