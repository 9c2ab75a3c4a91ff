// SPDX-License-Identifier: Apache-2.0

// The guides' lines as a reader types them, with the built programs, in an empty folder.

#if Server
import Foundation
import NIOCore
import NIOPosix
import RealmTestSupport
import TestExtensions
import Testing

/// What a reader of a guide does, one after the other.
enum GuideStep: Equatable {
  /// A file that the page shows is written.
  case file(path: String, text: String)
  case command(Command)

  /// A line that is typed.
  struct Command: Equatable {
    var line: String
    /// The lines that it prints, in which `…` is any text.
    var prints: [String] = []
    var status: Int32 = 0
    /// Whether it is typed again until it prints the lines: it shows what another program does.
    var isRepeated = false

    /// Whether a program goes on in the background.
    var isJob: Bool { line.hasSuffix(" &") }
  }

  /// The steps of a page: blocks below `<!-- file: path -->` and `<!-- run -->`. The mark
  /// `<!-- run 65 -->` says with which code the commands of its block end; `<!-- run until it fits
  /// -->` repeats them.
  static func steps(of page: String) -> [GuideStep] {
    var steps: [GuideStep] = []
    var mark: Substring?
    var block: [Substring]?
    for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("<!-- ") { mark = line.dropFirst(5).dropLast(4) }
      guard line.hasPrefix("```") else {
        block?.append(line)
        continue
      }
      guard let lines = block else {
        block = []
        continue
      }
      if let mark, mark.hasPrefix("file: ") {
        steps.append(
          .file(path: String(mark.dropFirst(6)), text: lines.joined(separator: "\n") + "\n"))
      } else if let mark, mark == "run" || mark.hasPrefix("run ") {
        steps += commands(lines, String(mark.dropFirst(4))).map(GuideStep.command)
      }
      (mark, block) = (nil, nil)
    }
    return steps
  }

  private static func commands(_ lines: [Substring], _ expected: String) -> [Command] {
    var commands: [Command] = []
    for line in lines {
      if line.hasPrefix("$ ") {
        commands.append(
          Command(
            line: String(line.dropFirst(2)), status: Int32(expected) ?? 0,
            isRepeated: expected == "until it fits"))
      } else if !commands.isEmpty {
        commands[commands.count - 1].prints.append(String(line))
      }
    }
    return commands
  }
}

/// A shell in an empty folder, in which the built programs are found, and ports of its own.
private final class GuideShell {
  let directory: TemporaryDirectory
  private let port: Int
  /// The port of a program of the reader's, 8080 in the pages.
  private let otherPort: Int
  /// Variables of the lines, before them.
  private let variables: String
  private var jobs: [SpawnedProgram] = []

  /// - Parameter variables: Assignments that the lines of the shell see.
  init(variables: [String: String] = [:]) async throws {
    self.variables = variables.sorted { $0.key < $1.key }.map { "export \($0)=\($1) && " }.joined()
    directory = try TemporaryDirectory()
    port = try await Self.freePort()
    otherPort = try await Self.freePort()
  }

  /// A port that was free a moment ago.
  static func freePort() async throws -> Int {
    let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .bind(host: "127.0.0.1", port: 0).get()
    defer { channel.close(promise: nil) }
    return channel.localAddress?.port ?? 0
  }

  deinit { for job in jobs { job.kill() } }

  /// A line of a page with the port of this shell, and without the building of programs.
  private func adapted(_ line: String) -> String {
    var words = line.split(separator: " ").map(String.init)
    if words.starts(with: ["swift", "run"]) {
      words.removeFirst(2)
      while words.first?.hasPrefix("-") ?? false { words.removeFirst(2) }
    }
    if words.starts(with: ["realm-server", "serve"]) {
      words.insert(contentsOf: ["--listen", "127.0.0.1:\(port)"], at: 2)
    }
    if words.first == "realm-todos" {
      words.insert(contentsOf: ["--server", "http://127.0.0.1:\(port)"], at: 1)
    }
    return words.joined(separator: " ").replacing("127.0.0.1:9090", with: "127.0.0.1:\(port)")
      .replacing("8080", with: "\(otherPort)")
  }

  private func spawn(_ line: String, _ output: String) throws -> SpawnedProgram {
    let programs = URL(fileURLWithPath: ServerProcess.path).deletingLastPathComponent().path
    return try SpawnedProgram(
      "/bin/sh",
      ["-c", "cd \"$0\" && PATH=\"$1:$PATH\" && \(variables)\(line)", directory.path, programs],
      input: .null, output: .file(directory.file(output)), errors: .file(directory.file("errors")))
  }

  /// Starts a line in the background, and waits until it has printed a text.
  func start(_ line: String, until text: String) async throws -> SpawnedProgram {
    let name = "job\(jobs.count)"
    let job = try spawn("exec " + adapted(line), name)
    jobs.append(job)
    if !text.isEmpty { try await wait { try self.output(of: name).contains(text) } }
    return job
  }

  /// Ends the line in the background.
  func endJob() {
    jobs.last?.kill(SIGTERM)
    _ = jobs.last?.waitUntilExit()
  }

  func output(of name: String) throws -> String {
    try String(contentsOfFile: directory.file(name), encoding: .utf8)
  }

  func wait(_ condition: () throws -> Bool) async throws {
    for _ in 0..<6_000 {
      if try condition() { return }
      try await Task.sleep(for: .milliseconds(10))
    }
    Issue.record("the condition does not come to hold")
  }

  /// Runs a line. Returns its exit code and what it printed, with the port of the pages.
  func run(_ line: String) async throws -> (status: Int32, output: String) {
    let program = try spawn(adapted(line), "output")
    for _ in 0..<6_000 where program.isRunning { try await Task.sleep(for: .milliseconds(10)) }
    program.kill()
    let status = program.waitUntilExit()
    let output = try output(of: "output") + output(of: "errors")
    return (
      status,
      output.replacing("127.0.0.1:\(port)", with: "127.0.0.1:9090")
        .replacing("\(otherPort)", with: "8080")
    )
  }

  func write(_ text: String, to path: String) throws {
    let place = URL(fileURLWithPath: directory.file(path))
    try FileManager.default.createDirectory(
      at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.replacing("8080", with: "\(otherPort)").utf8).write(to: place)
  }
}

@Suite(
  // Ports are free when they are looked for, and taken later.
  .serialized, .timeLimit(.minutes(10)),
  .enabled(if: ServerProcess.isBuilt, "the program was not built with the tests"))
struct GuideTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Documentation").standardizedFileURL

  private static func page(_ name: String) throws -> String {
    try String(contentsOf: folder.appending(path: name), encoding: .utf8)
  }

  /// Whether a text begins with what a page says is printed, where `…` is any text.
  static func fits(_ text: String, _ lines: [String]) -> Bool {
    var rest = text[...]
    for (index, part) in lines.joined(separator: "\n").components(separatedBy: "…").enumerated() {
      let part = part.trimmingCharacters(in: .newlines)
      if part.isEmpty { continue }
      guard let found = rest.firstRange(of: part), index > 0 || found.lowerBound == rest.startIndex
      else { return false }
      rest = rest[found.upperBound...]
    }
    return true
  }

  @Test(arguments: [
    ("CommandLine.md", 20), ("Sync/FromTenMinutesToProduction.md", 6), ("Sync/Rules.md", 5),
    ("Sync/WhenThingsGoWrong.md", 11), ("Sync/ImportFromAtlasAppServices.md", 12),
    ("Sync/MovingFromAtlasDeviceSync.md", 2), ("Studio.md", 8),
  ])
  func theLinesOfAPageDoWhatItSays(_ name: String, _ count: Int) async throws {
    let shell = try await GuideShell()
    try FileManager.default.createDirectory(
      atPath: shell.directory.file("backups"), withIntermediateDirectories: true)
    try await Self.type(name, count, in: shell)
  }

  /// The page has programs in Python, which stand in the package's folder.
  @Test(.enabled(if: hasPython, "There is no Python"))
  func theLinesOfThePageAboutOtherLanguagesDoWhatItSays() async throws {
    let shell = try await GuideShell()
    try FileManager.default.createSymbolicLink(
      atPath: shell.directory.file("Examples"),
      withDestinationPath: Self.folder.appending(path: "../Examples").standardizedFileURL.path)
    try await Self.type("Sync/HTTP.md", 7, in: shell)
  }

  private static let hasPython =
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    .contains { FileManager.default.isExecutableFile(atPath: "\($0)/python3") }

  /// With a PostgreSQL server of its own, which the lines find as that of the machine.
  @Test(.enabled(if: hasPostgres, "PostgreSQL is not installed, or the trait Postgres is off"))
  func theLinesOfThePageAboutManyMachinesDoWhatItSays() async throws {
    let place = try TemporaryDirectory()
    let port = try await GuideShell.freePort()
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: place.path)
    let folder = place.file("database")
    let database = try await BackupTests.onThread {
      let server = try PostgresServer(
        "a", folder: folder, port: port, other: "b", source: port, isSynchronous: false,
        settings: ["fsync=off", "shared_buffers=16MB"])
      try server.make()
      try server.start()
      return Database(server: server)
    }
    defer { database.server.kill() }
    let shell = try await GuideShell(variables: [
      "PGHOST": "127.0.0.1", "PGPORT": "\(port)", "PGUSER": PostgresServer.user,
    ])
    try await Self.type("Sync/FromOneMachineToMany.md", 9, in: shell)
  }

  /// Does what a reader of a page does.
  private static func type(_ name: String, _ count: Int, in shell: GuideShell) async throws {
    let steps = GuideStep.steps(of: try page(name))
    expectTrue(steps.count > count, "\(steps.count)")
    for step in steps {
      switch step {
      case .file(let path, let text): try shell.write(text, to: path)
      case .command(let command) where command.isJob:
        let greeting = command.line.contains(" serve ") ? "AppConfiguration(baseURL:" : ""
        _ = try await shell.start(
          String(command.line.dropLast(2)),
          until: command.prints.first?.components(separatedBy: "…").first ?? greeting)
      case .command(let command) where command.line == "kill %1": shell.endJob()
      case .command(let command):
        var (status, output) = try await shell.run(command.line)
        for _ in 0..<600 where command.isRepeated && !fits(output, command.prints) {
          try await Task.sleep(for: .milliseconds(50))
          (status, output) = try await shell.run(command.line)
        }
        expectEqual(status, command.status, "\(command.line): \(output)")
        expectTrue(fits(output, command.prints), "\(command.line): \(output)")
      }
    }
  }

  /// Is handed from the thread that starts it to the test, which alone has it from then on.
  private struct Database: @unchecked Sendable {
    let server: PostgresServer
  }

  #if Postgres
  private static let hasPostgres = PostgresServer.programs != nil
  #else
  private static let hasPostgres = false
  #endif

  /// Each line of "Sync in ten minutes" that starts a program, in the order and places of the page.
  @Test func tenMinutes() async throws {
    let page = try Self.page("Sync/TenMinutes.md")
    let lines = page.split(separator: "\n").filter { $0.hasPrefix("swift run --traits") }
      .map(String.init)
    try #require(lines.count == 6, "\(lines)")
    let shell = try await GuideShell()
    // 1. A server that makes an app.
    let first = try await shell.start(lines[0], until: "AppConfiguration(baseURL:")
    let printed = try shell.output(of: "job0")
    expectTrue(printed.contains(#"The app "todos-"#), "\(printed)")
    expectTrue(printed.contains(#"    App(id: "todos-"#), "\(printed)")
    first.kill(SIGTERM)
    _ = first.waitUntilExit()
    // 3. Two devices.
    try FileManager.default.removeItem(atPath: shell.directory.file("data"))
    let server = try await shell.start(lines[1], until: "AppConfiguration(baseURL:")
    let desk = try await shell.start(lines[2], until: "Nothing to do.")
    let added = try await shell.run(lines[3])
    expectEqual(added.status, 0, "\(added.output)")
    try await shell.wait { try shell.output(of: "job2").contains("1. [ ] Water the plants") }
    // 4. Offline, and back.
    for program in [server, desk] {
      program.kill(SIGTERM)
      _ = program.waitUntilExit()
    }
    for line in lines[4...5] {
      let run = try await shell.run(line)
      expectTrue(run.output.contains("The change is saved here."), "\(line): \(run.output)")
    }
    _ = try await shell.start(lines[2], until: "1. [x] Water the plants")
    _ = try await shell.start(lines[1], until: "AppConfiguration(baseURL:")
    let list = try #require(lines[3].components(separatedBy: " add ").first) + " list"
    for _ in 0..<60 {
      if try shell.output(of: "job3").contains("[ ] Feed the cat") { break }
      _ = try await shell.run(list)
    }
    try expectTrue(shell.output(of: "job3").contains("[ ] Feed the cat"))
    let phone = try await shell.run(list)
    expectTrue(phone.output.contains("[x] Water the plants"), "\(phone.output)")
    expectTrue(phone.output.contains("[ ] Feed the cat"), "\(phone.output)")
  }

  @Test func pagesAreReadAndCompared() {
    let page = """
      <!-- file: a/b.json -->
      ```json
      {}
      ```
      <!-- run -->
      ```
      $ one &
      $ two
      x … z
      …
      ```
      ```
      $ three
      ```
      <!-- run 65 -->
      ```
      $ four
      ```
      <!-- run until it fits -->
      ```
      $ five
      ```
      """
    expectEqual(
      GuideStep.steps(of: page),
      [
        .file(path: "a/b.json", text: "{}\n"), .command(.init(line: "one &")),
        .command(.init(line: "two", prints: ["x … z", "…"])),
        .command(.init(line: "four", status: 65)),
        .command(.init(line: "five", isRepeated: true)),
      ])
    expectTrue(Self.fits("x y z\nmore\n", ["x … z", "…"]))
    expectTrue(Self.fits("anything", []))
    expectFalse(Self.fits("a x y z", ["x … z"]))
    expectFalse(Self.fits("x y", ["x … z"]))
  }
}
#endif
