// SPDX-License-Identifier: Apache-2.0

// Programs and their server are killed at any moment: nothing that was acknowledged is lost.

#if Server
import Foundation
import RealmTestSupport
import Testing

/// A server and two devices, each a process of its own.
private struct ProcessStorm {
  private static let folder = URL(fileURLWithPath: CommandLine.arguments[0])
    .deletingLastPathComponent()

  static var isBuilt: Bool {
    ["realm-todos", "realm-server"].allSatisfy {
      FileManager.default.isExecutableFile(atPath: folder.appendingPathComponent($0).path)
    }
  }

  private let directory: String
  private var random: SeededGenerator
  private var server: SpawnedProgram?
  /// Below the ports that the system gives to programs which ask for any: the server comes back at
  /// the same one after each kill.
  private var port = 20_000 + Int(ProcessInfo.processInfo.processIdentifier) % 10_000
  private var hasStarted = false
  private var count = 0
  /// What `realm-todos` has said is saved.
  private(set) var acknowledged: Set<String> = []
  private(set) var problems: [String] = []

  init(seed: UInt64, directory: String) {
    random = SeededGenerator(seed: seed)
    self.directory = directory
  }

  /// Lets devices write, and kills any of them and the server, for a time.
  mutating func rage(seconds: Double) throws {
    try startServer()
    for device in ["a", "b"] { _ = try run(device, "list") }
    let end = Date().addingTimeInterval(seconds)
    while Date() < end {
      switch Int.random(in: 0..<8, using: &random) {
      case 0: killServer()
      case 1: try startServer()
      case 2:
        // Killed after up to a second, wherever it is.
        _ = try add(killedAfter: Double.random(in: 0...1, using: &random))
      case 3: _ = try run(device(), "done", "1")
      default: try add(killedAfter: nil)
      }
    }
  }

  private mutating func device() -> String { Bool.random(using: &random) ? "a" : "b" }

  private mutating func add(killedAfter time: Double?) throws {
    count += 1
    let text = "todo-\(count)."
    let code = try run(device(), "add", text, killedAfter: time)
    if code == 0 { acknowledged.insert(text) }
    if time == nil, code != 0 {
      let errors = try String(contentsOfFile: directory + "/output.txt.errors", encoding: .utf8)
      problems.append("add ended with \(code): \(errors)")
    }
  }

  /// The lists of both devices once they are equal; nil if they do not become so.
  mutating func meet() throws -> String? {
    try startServer()
    for _ in 0..<20 {
      var lists: [String] = []
      for device in ["a", "b", "a"] {
        let output = directory + "/list.txt"
        _ = try run(device, "--wait", "20", "list", output: output)
        lists.append(try String(contentsOfFile: output, encoding: .utf8))
      }
      if Set(lists).count == 1 { return lists[0] }
    }
    return nil
  }

  // MARK: Processes

  private func process(
    _ name: String, _ arguments: [String], output: String
  ) throws -> SpawnedProgram {
    try SpawnedProgram(
      Self.folder.appendingPathComponent(name).path, arguments, output: .file(output),
      errors: .file(output + ".errors"))
  }

  /// Runs `realm-todos` on a device. Returns its exit code.
  private func run(
    _ device: String, _ action: String..., killedAfter time: Double? = nil, output: String? = nil
  ) throws -> Int32 {
    let process = try process(
      "realm-todos",
      [
        "--server", "http://127.0.0.1:\(port)", "--app", "storm", "--dir",
        directory + "/" + device, "--wait", "2",
      ] + action, output: output ?? directory + "/output.txt")
    if let time {
      Thread.sleep(forTimeInterval: time)
      process.kill()
    }
    return process.waitUntilExit()
  }

  mutating func killServer() {
    guard let server else { return }
    server.kill()
    server.waitUntilExit()
    self.server = nil
  }

  private mutating func startServer() throws {
    guard server == nil else { return }
    for _ in 0..<100 {
      if try startServer(at: port) { return }
      // Another program has the port.
      if !hasStarted { port += 1 }
      Thread.sleep(forTimeInterval: 0.1)
    }
    problems.append("the server did not start")
  }

  /// Starts the server. Returns whether it listens.
  private mutating func startServer(at port: Int) throws -> Bool {
    let output = directory + "/server.txt"
    let process = try process(
      "realm-server",
      [
        "serve", "--dir", directory + "/server", "--listen", "127.0.0.1:\(port)", "--app-id",
        "storm",
      ], output: output)
    server = process
    for _ in 0..<15_000 where process.isRunning {
      let text = try String(contentsOfFile: output, encoding: .utf8)
      if text.contains("http://127.0.0.1:\(port)\"") {
        hasStarted = true
        return true
      }
      Thread.sleep(forTimeInterval: 0.01)
    }
    killServer()
    return false
  }
}

@Suite(.enabled(if: ProcessStorm.isBuilt, "the programs were not built with the tests"))
struct KillTests {
  @Test func nothingAcknowledgedIsLost() async throws {
    let directory = try TemporaryDirectory()
    // On a thread of its own, as it waits for processes.
    let (problems, lost, list) = try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<([String], [String], String?), any Error>) in
      Thread.detachNewThread {
        continuation.resume(
          with: Result {
            var storm = ProcessStorm(seed: 4, directory: directory.path)
            defer { storm.killServer() }
            try storm.rage(seconds: 60)
            let list = try storm.meet()
            let lost = storm.acknowledged.filter { !(list ?? "").contains($0) }
            if storm.acknowledged.count < 10 { return (storm.problems + ["few writes"], [], list) }
            return (storm.problems, lost.sorted(), list)
          })
      }
    }
    #expect(problems.isEmpty, "\(problems)")
    #expect(list != nil, "the devices did not become equal")
    #expect(lost.isEmpty, "\(lost)")
  }
}
#endif
