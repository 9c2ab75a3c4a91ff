// SPDX-License-Identifier: Apache-2.0

// Commands that cannot go on to their end: stopped by a signal, or by a full disk.

#if Tools
import Foundation
import RealmTables
import RealmTestSupport
import RealmTools
import TestExtensions
import Testing

@Suite(.timeLimit(.minutes(10))) struct StoppedCommandTests {
  private let directory: TemporaryDirectory
  private let file: String

  init() throws {
    directory = try TemporaryDirectory()
    file = directory.file("dogs.realm")
    try CommandSample.make(at: file)
  }

  private func names(in folder: String? = nil) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder ?? directory.path).sorted()
  }

  /// Gives a dog a name of a megabyte, so that no pipe and no small disk holds an export.
  ///
  /// - Parameter count: How many dogs, each of which takes an export a while.
  private func addLongName(_ count: Int64 = 1) throws {
    let writer = try RealmWriter(path: file, creates: false)
    _ = try writer.write { group in
      let dogs = try #require(try group.table(named: "class_Dog"))
      let name = try #require(try dogs.table.schema.column(named: "name"))
      for key in 10..<10 + count {
        let dog = try dogs.createObject(primaryKey: .int(key)).key
        try dogs.set(.string(String(repeating: "x", count: 1 << 20)), name, dog)
      }
      return true
    }
  }

  // MARK: Signals

  /// `ByteSink` 1: there is so much to write that the export certainly has not ended.
  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func aStoppedExportLeavesNoFile(_ number: Int32) throws {
    try addLongName(100)
    let out = directory.file("dogs.json")
    let process = try ToolProcess(
      ToolProcess.program, ["export", file, "--out", out]
    ) { process in
      for _ in 0..<60_000 where try !names().contains("dogs.json.unfinished") { usleep(1000) }
      process.kill(number)
      process.waitUntilExit()
    }
    expectTrue(process.isSignal)
    expectEqual(process.status, number)
    #expect(try !names().contains { $0.hasPrefix("dogs.json") })
  }

  /// The screen holds a few lines that nobody has read, so the statement certainly runs.
  @Test func aStoppedStatementEndsNeitherTheShellNorItsTransaction() throws {
    try expectEqual(ToolProcess("generate", file, "--rows", "3000").status, 0)
    let terminal = try #require(PseudoTerminal())
    let shell = try SpawnedProgram(
      ToolProcess.program.path, ["shell", file],
      environment: ["TERM": "xterm", "REALM_HISTORY": directory.file("history")],
      input: .descriptor(terminal.program), output: .descriptor(terminal.program), errors: .pipe)
    terminal.closeProgramSide()
    func run(_ line: String, until text: String) {
      terminal.type(line + "\r")
      let shown = terminal.text { $0.contains(text) }
      expectTrue(shown.contains(text), "\(shown)")
    }
    _ = terminal.text { $0.contains("realm> ") }
    run("BEGIN", until: "begun")
    run("DELETE Dog WHERE id == 1", until: "1 deleted")
    run("Dog", until: "| Rex")
    shell.kill(SIGINT)
    // The rows that were printed before are still on their way.
    _ = terminal.text { $0.contains("realm* ") }
    run("COMMIT", until: "committed")
    terminal.type(".quit\r")
    _ = terminal.text()
    let end = try shell.finish(input: nil)
    expectEqual(end.status, 0)
    expectTrue(end.errors.contains("The statement was stopped"), "\(end.errors)")
    try expectEqual(ToolProcess("query", file, "Dog WHERE id == 1", "--count").output, "0\n")
  }

  /// An import makes a new file in its one transaction, or in its first batch.
  @Test(arguments: [[], ["--batch", "1000000"]]) func aStoppedImportLeavesNoFile(
    _ options: [String]
  ) throws {
    // If the import is over before the signal comes, there was too little to do.
    for rowCount in [20_000, 80_000, 320_000] {
      let input = directory.file("in.json")
      let new = directory.file("new.realm")
      NewFile.remove(new)
      let lines = (0..<rowCount).map { "{\"id\":\($0),\"name\":\"Dog \($0)\"}\n" }
      try Data(lines.joined().utf8).write(to: URL(fileURLWithPath: input))
      let process = try ToolProcess(
        ToolProcess.program, ["import", new, input, "--class", "Dog"] + options
      ) { process in
        while process.isRunning, !FileManager.default.fileExists(atPath: new) { usleep(1000) }
        process.kill(SIGINT)
      }
      guard process.isSignal else { continue }
      expectEqual(process.status, SIGINT)
      #expect(try !names().contains { $0.hasPrefix("new.realm") })
      return
    }
    Issue.record("no import could be stopped")
  }

  // MARK: Full disks

  #if os(Linux)
  @Test(arguments: [
    ["export"], ["query", "Dog"], ["query", "Dog", "--json"], ["info"], ["schema"], ["check"],
  ])
  func aFullDiskBehindStandardOutputIsReported(_ command: [String]) throws {
    let words = [command[0], file] + command.dropFirst()
    let process = try ToolProcess(
      URL(fileURLWithPath: "/bin/sh"),
      ["-c", "exec \"$0\" \"$@\" >/dev/full", ToolProcess.program.path] + words)
    expectEqual(process.status, 74)
    expectEqual(process.errors, "realm: Writing the output failed: No space left on device.\n")
  }

  /// An error output that refuses the message does not change the exit code.
  @Test func aFullDiskBehindStandardErrorChangesNothing() throws {
    let process = try ToolProcess(
      URL(fileURLWithPath: "/bin/sh"),
      ["-c", "exec \"$0\" info none.realm 2>/dev/full", ToolProcess.program.path])
    expectEqual(process.status, 66)
  }

  /// A command on a disk of 200 KiB, in the folder `DISK`.
  struct DiskCase: CustomTestStringConvertible {
    var name: String
    /// What the shell does before.
    var prepare = ""
    var arguments: [String]
    /// The files that may be there then.
    var left: [String] = []

    var testDescription: String { name }
  }

  /// Fills the disk to its end.
  private static let fill = "dd if=/dev/zero of=DISK/fill bs=1k count=500 2>/dev/null;"

  private static let cases: [DiskCase] = [
    DiskCase(name: "JSON", arguments: ["export", "FILE", "--out", "DISK/a.json"]),
    DiskCase(
      name: "no room for a name", prepare: "mount -o remount,nr_inodes=1 DISK;",
      arguments: ["export", "FILE", "--out", "DISK/a.json"]),
    DiskCase(
      name: "CSV",
      arguments: ["export", "FILE", "--format", "csv", "--query", "Dog", "--out", "DISK/a.csv"]),
    DiskCase(
      name: "import", arguments: ["import", "DISK/a.realm", "INPUT", "--class", "Dog"]),
    DiskCase(
      name: "import in batches",
      arguments: ["import", "DISK/a.realm", "INPUT", "--class", "Dog", "--batch", "2"],
      left: ["a.realm", "a.realm.lock"]),
    DiskCase(
      name: "standard input", prepare: "export TMPDIR=DISK; exec <INPUT;",
      arguments: ["import", "FILE", "-", "--class", "Cat"]),
    DiskCase(name: "copy", arguments: ["copy", "FILE", "DISK/a.realm"]),
    DiskCase(
      name: "key", prepare: fill, arguments: ["copy", "FILE", "FILE.2", "--new-key", "DISK/key"],
      left: ["fill"]),
    DiskCase(name: "salvage", arguments: ["salvage", "FILE", "DISK/a.realm"]),
    DiskCase(
      name: "lock file", prepare: "cp SMALL DISK/a.realm; \(fill)",
      arguments: ["generate", "DISK/a.realm", "--rows", "10"],
      left: ["a.realm", "a.realm.lock", "fill"]),
    DiskCase(
      name: "growth",
      prepare: "cp SMALL DISK/a.realm; PROGRAM generate DISK/a.realm --rows 1 >/dev/null; \(fill)",
      arguments: ["generate", "DISK/a.realm", "--rows", "5000"],
      left: ["a.realm", "a.realm.lock", "fill"]),
    DiskCase(
      name: "compaction",
      prepare: "cp SMALL DISK/a.realm; PROGRAM generate DISK/a.realm --rows 1 >/dev/null; \(fill)",
      arguments: ["compact", "DISK/a.realm"], left: ["a.realm", "a.realm.lock", "fill"]),
  ]

  @Test(.enabled(if: SmallDisk.isAvailable, "no disk can be mounted here"), arguments: cases)
  func aFullDiskEndsWith74AndLeavesWholeFiles(_ disk: DiskCase) throws {
    let small = directory.file("small.realm")
    try FileManager.default.copyItem(atPath: file, toPath: small)
    try addLongName()
    let input = directory.file("in.json")
    let row = "{\"name\":\"" + String(repeating: "y", count: 20_000) + "\"}\n"
    try Data(String(repeating: row, count: 40).utf8).write(to: URL(fileURLWithPath: input))
    let mount = directory.file("disk")
    try FileManager.default.createDirectory(atPath: mount, withIntermediateDirectories: false)
    func expanded(_ text: String) -> String {
      [
        ("DISK", mount), ("FILE", file), ("INPUT", input), ("SMALL", small),
        ("PROGRAM", ToolProcess.program.path),
      ].reduce(text) { $0.replacing($1.0, with: $1.1) }
    }
    let before = try Data(contentsOf: URL(fileURLWithPath: file))
    let (process, left) = try SmallDisk.run(
      at: mount, prepare: expanded(disk.prepare), disk.arguments.map(expanded))
    expectEqual(process.status, 74, "\(process.errors)")
    expectTrue(process.errors.contains("No space left on device"), "\(process.errors)")
    expectEqual(left, disk.left)
    try expectEqual(Data(contentsOf: URL(fileURLWithPath: file)), before)
    expectTrue(!FileManager.default.fileExists(atPath: file + ".2"))
    #expect(try !names().contains { $0.contains(".unfinished") || $0.contains(".part") })
  }

  @Test(.enabled(if: SmallDisk.isAvailable, "no disk can be mounted here"))
  func aFullDiskEndsAnExportToSQLite() throws {
    try addLongName()
    let mount = directory.file("disk")
    try FileManager.default.createDirectory(atPath: mount, withIntermediateDirectories: false)
    let (process, left) = try SmallDisk.run(
      at: mount, prepare: "", ["export", file, "--format", "sqlite", "--out", mount + "/a.sqlite"])
    // 69: there is no SQLite.
    expectTrue(process.status == 74 || process.status == 69, "\(process.errors)")
    expectEqual(left, [])
  }
  #endif
}
#endif
