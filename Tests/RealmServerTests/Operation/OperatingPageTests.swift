// SPDX-License-Identifier: Apache-2.0

// The commands of the page for operators, one after the other, as a reader types them.

#if Server
import Foundation
import RealmFormats
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
struct OperatingPageTests {
  private static let page = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../Documentation/Sync/OperatingAServer.md").standardizedFileURL

  /// A shell with one server in the background.
  private final class Shell {
    let directory: TemporaryDirectory
    private var server: SpawnedProgram?
    private(set) var address = ""

    init() throws {
      directory = try TemporaryDirectory()
      try FileManager.default.createDirectory(
        atPath: directory.file("backups"), withIntermediateDirectories: true)
    }

    deinit { server?.kill() }

    private func start(_ command: String, _ output: String) throws -> SpawnedProgram {
      try SpawnedProgram(
        "/bin/sh",
        ["-c", "cd \"$1\" && exec \"$0\" \(command)", ServerProcess.path, directory.path],
        output: .file(directory.file(output)), errors: .file(directory.file(output + ".errors")))
    }

    /// Starts the server, and waits until it listens.
    func serve(_ arguments: String) async throws {
      server = try start("\(arguments) --listen 127.0.0.1:0", "server.txt")
      for _ in 0..<6_000 {
        let text = try String(contentsOfFile: directory.file("server.txt"), encoding: .utf8)
        if let start = text.firstRange(of: "baseURL: \"")?.upperBound,
          let end = text[start...].firstIndex(of: "\"")
        {
          address = String(text[start..<end])
          return
        }
        try await Task.sleep(for: .milliseconds(10))
      }
      Issue.record("the server did not start")
    }

    func end() async throws {
      server?.kill(SIGTERM)
      for _ in 0..<6_000 where server?.isRunning == true {
        try await Task.sleep(for: .milliseconds(10))
      }
    }

    /// Runs a command. Returns its exit code and what it wrote.
    func run(_ arguments: String) async throws -> (Int32, String) {
      let program = try start(arguments, "output.txt")
      for _ in 0..<12_000 where program.isRunning { try await Task.sleep(for: .milliseconds(10)) }
      program.kill()
      let output = try String(contentsOfFile: directory.file("output.txt"), encoding: .utf8)
      let errors = try String(contentsOfFile: directory.file("output.txt.errors"), encoding: .utf8)
      return (program.waitUntilExit(), output + errors)
    }

    /// Registers the user of the page, and logs in.
    func registerAnn() async throws {
      let client = AppClient(
        forgetting: AppSettings(
          id: "todos", baseURL: address, requestTimeout: RunningServer.answerLimit),
        transport: ClientTransport.shared)
      try await client.register(email: "ann@example.org", password: "secret1")
      _ = try await client.logIn(.emailPassword("ann@example.org", "secret1"))
    }
  }

  /// - Parameter isJSON: Whether each command is asked for JSON, too.
  @Test(arguments: [false, true])
  func eachCommandOfThePageDoesWhatItSays(_ isJSON: Bool) async throws {
    let text = try String(contentsOf: Self.page, encoding: .utf8)
    let prompt = "$ realm-server "
    let lines = text.split(separator: "\n").filter { $0.hasPrefix("$ ") }
    expectTrue(lines.count > 15)
    let shell = try Shell()
    var count = 0
    for line in lines {
      guard line.hasPrefix(prompt) else {
        expectEqual(line, "$ kill %1")
        try await shell.end()
        continue
      }
      let arguments = String(line.dropFirst(prompt.count))
        .replacingOccurrences(of: "--admin-port 9091", with: "--admin-port 0")
      guard !arguments.hasPrefix("serve ") else {
        expectTrue(arguments.hasSuffix(" &"))
        try await shell.serve(String(arguments.dropLast(2)))
        if count == 0 { try await shell.registerAnn() }
        continue
      }
      let (status, output) = try await shell.run(arguments + (isJSON ? " --json" : ""))
      expectEqual(status, 0, "\(line): \(output)")
      expectFalse(output.isEmpty, "\(line)")
      if isJSON {
        let json = try JSONParser.parse(output)
        let isObject = if case .object = json { true } else { false }
        expectTrue(isObject || json.array != nil, "\(line): \(output)")
      }
      count += 1
    }
    expectTrue(count > 12)
    try await shell.end()
  }

  /// Each command, and each option of one, stands in the page or is explained by the program.
  @Test func thePageNamesEachCommandForOperators() async throws {
    let text = try String(contentsOf: Self.page, encoding: .utf8)
    for command in [
      "apps", "users list", "users create", "token create", "users disable", "users enable",
      "users delete", "backup", "restore",
      "check", "compact", "stats", "signing-key rotate", "signing-key list", "admin", "apply",
      "keys list", "triggers list",
    ] {
      expectTrue(text.contains("$ realm-server \(command) --"), "\(command)")
      let help = try await Shell().run(command + " --help")
      expectEqual(help.0, 0, "\(command)")
      expectTrue(help.1.contains("USAGE: realm-server \(command) "), "\(command)")
    }
  }
}
#endif
