// SPDX-License-Identifier: Apache-2.0

// The command: lets `realm` import and export the rows, beside SQLite's own program.

import ArgumentParser
import BenchmarkSupport
import Foundation

@main
struct RealmTools: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "realm-tools",
    abstract: "Measures imports and exports of the program realm beside sqlite3.")

  @Option(help: "The number of rows.")
  var rows = 1_000_000

  @Option(help: "How often everything is run; the table shows medians.")
  var rounds = 3

  @Option(help: "The program realm, built with -c release.")
  var realm = "../.build/release/realm"

  @Option(help: "The folder for a folder of files.")
  var folder = ".build/tool-files"

  @Flag(help: "Print the table as Markdown.")
  var markdown = false

  /// What a program took for each workload.
  private typealias Measurements = [ToolWorkload: [MeasuredProcess]]

  func run() throws {
    guard FileManager.default.isExecutableFile(atPath: realm) else {
      throw BenchmarkError(
        "There is no program '\(realm)'. Build it in the folder above with: "
          + "swift build -c release --traits Tools --product realm")
    }
    let peer = Self.sqlite()
    let data = BenchmarkData(count: rows)
    data.checkGenerator()
    var ours: Measurements = [:]
    var theirs: Measurements = [:]
    for _ in 0..<rounds {
      let scratch = try ScratchFolder(in: folder)
      defer { scratch.remove() }
      let files = try RowFiles(data, in: scratch.url)
      if let peer { try measure(peer, files, data, in: scratch.url, &theirs) }
      try measureRealm(files, data, in: scratch.url, &ours)
    }
    print("\(rows) rows, median of \(rounds) rounds: seconds, and peak memory in MiB")
    if peer == nil { print("sqlite3 is not installed, so there is nothing beside realm") }
    var lines = [["work", "realm", "MiB", "sqlite3", "MiB", "ratio", "sqlite3 did"]]
    for workload in ToolWorkload.allCases {
      let (ours, theirs) = (Self.median(ours[workload]), Self.median(theirs[workload]))
      lines.append(
        [workload.title] + Self.cells(ours) + Self.cells(theirs)
          + [
            theirs.flatMap { theirs in
              ours.map { String(format: "%.2f", $0.seconds / theirs.seconds) }
            } ?? "", workload.peer ?? "",
          ])
    }
    print(TextTable(lines).text(asMarkdown: markdown))
  }

  private static func median(_ all: [MeasuredProcess]?) -> MeasuredProcess? {
    let sorted = (all ?? []).sorted { $0.seconds < $1.seconds }
    return sorted.isEmpty ? nil : sorted[sorted.count / 2]
  }

  private static func cells(_ measured: MeasuredProcess?) -> [String] {
    guard let measured else { return ["", ""] }
    return [
      String(format: "%.2f", measured.seconds), "\(measured.peakByteCount >> 20)",
    ]
  }

  /// SQLite's program; nil if it is not installed.
  private static func sqlite() -> String? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return folders.map { "\($0)/sqlite3" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  // MARK: realm

  private func measureRealm(
    _ files: RowFiles, _ data: BenchmarkData, in folder: URL, _ result: inout Measurements
  ) throws {
    func path(_ name: String) -> URL { folder.appending(path: name) }
    func run(_ workload: ToolWorkload, _ arguments: String...) throws {
      let process = try MeasuredProcess(realm, arguments, output: path("\(workload).txt"))
      result[workload, default: []].append(process)
    }
    let key = ["--class", "Todo", "--primary-key", "id"]
    let (csv, json, sqlite) = (path("csv.realm"), path("json.realm"), path("sqlite.realm"))
    try run(.csvIn, "import", csv.path, files.csv.path, key[0], key[1], key[2], key[3])
    try run(.jsonIn, "import", json.path, files.json.path, key[0], key[1], key[2], key[3])
    try run(.csvOut, "export", csv.path, "--format", "csv", "--out", path("out.csv").path)
    try run(.jsonOut, "export", csv.path, "--out", path("out.json").path)
    let database = path("out.sqlite")
    try run(.sqliteOut, "export", csv.path, "--format", "sqlite", "--out", database.path)
    // A database that another program made, if there is one.
    let source = path("peer.sqlite")
    let isThere = FileManager.default.fileExists(atPath: source.path)
    try run(.sqliteIn, "import", sqlite.path, (isThere ? source : database).path)
    let restored = path("restored.realm")
    try run(.restore, "import", restored.path, path("out.json").path)

    for file in [csv, json, sqlite, restored] { try check(file, data, in: folder) }
    _ = try MeasuredProcess(
      realm, ["diff", csv.path, restored.path], output: path("diff.txt"))
    try Self.checkLines(of: path("out.csv"), data.count + 1)
    // The first line declares the classes.
    try Self.checkLines(of: path("out.json"), data.count + 1)
  }

  /// Compares what a file answers with the model.
  private func check(_ file: URL, _ data: BenchmarkData, in folder: URL) throws {
    let expected = [
      ("Todo", data.count),
      ("Todo WHERE priority >= 250 AND priority < 500", data.rangeCount),
      ("Todo WHERE owner == 'owner_42'", data.ownerCount),
      ("Todo WHERE isDone == true", data.rows.count(where: \.isDone)),
    ]
    for (query, count) in expected {
      let output = folder.appending(path: "count.txt")
      _ = try MeasuredProcess(realm, ["query", file.path, query, "--count"], output: output)
      let answer = try String(contentsOf: output, encoding: .utf8)
      guard Int(answer.trimmingCharacters(in: .newlines)) == count else {
        throw BenchmarkError("\(file.lastPathComponent), \(query): \(answer) instead of \(count)")
      }
    }
  }

  private static func checkLines(of file: URL, _ count: Int) throws {
    let found = try Data(contentsOf: file).count { $0 == UInt8(ascii: "\n") }
    guard found == count else {
      throw BenchmarkError("\(file.lastPathComponent) has \(found) lines instead of \(count)")
    }
  }

  // MARK: sqlite3

  private func measure(
    _ program: String, _ files: RowFiles, _ data: BenchmarkData, in folder: URL,
    _ result: inout Measurements
  ) throws {
    func path(_ name: String) -> URL { folder.appending(path: name) }
    func run(
      _ workload: ToolWorkload?, options: [String] = [], _ database: URL, _ script: String,
      to output: String
    ) throws {
      let input = path("script.sql")
      try Data(script.utf8).write(to: input)
      let process = try MeasuredProcess(
        program, options + ["-bail", database.path], input: input, output: path(output))
      if let workload { result[workload, default: []].append(process) }
    }
    let database = path("peer.sqlite")
    try run(
      .csvIn, database, "\(RowFiles.table)\n.import --csv --skip 1 '\(files.csv.path)' Todo\n",
      to: "peer.txt")
    // The words of CSV as SQLite has booleans.
    try run(nil, database, "UPDATE Todo SET isDone = isDone = 'true';\n", to: "peer.txt")
    try run(
      .csvOut, options: ["-csv", "-header"], database, "SELECT * FROM Todo;\n", to: "peer.csv")
    try run(.jsonOut, options: ["-json"], database, "SELECT * FROM Todo;\n", to: "peer.json")
    try run(.sqliteOut, database, ".dump\n", to: "peer.sql")
    let restored = path("restored.sqlite")
    try run(.sqliteIn, restored, ".read '\(path("peer.sql").path)'\n", to: "peer.txt")
    for file in [database, restored] {
      try run(nil, file, "SELECT count(*), sum(priority) FROM Todo;\n", to: "count.txt")
      let answer = try String(contentsOf: path("count.txt"), encoding: .utf8)
      guard answer == "\(data.count)|\(data.prioritySum)\n" else {
        throw BenchmarkError("sqlite3, \(file.lastPathComponent): \(answer)")
      }
    }
    try Self.checkLines(of: path("peer.csv"), data.count + 1)
  }
}
