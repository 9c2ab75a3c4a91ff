// SPDX-License-Identifier: Apache-2.0

// The program `realm` importing and exporting the rows, beside SQLite's own program.

package import BenchmarkSupport
import Foundation

/// Imports and exports, each by a process of its own.
package final class ToolsSuite: Suite {
  private let context: SuiteContext
  private let realm: String
  /// SQLite's program; nil if it is not installed.
  private let peer: String?

  /// - Parameter realm: The program, built for release.
  package init(_ context: SuiteContext, realm: String) throws {
    guard FileManager.default.isExecutableFile(atPath: realm) else {
      throw BenchmarkError(
        "There is no program '\(realm)'. Build it in the folder above with: "
          + "swift build -c release --traits Tools --product realm")
    }
    self.context = context
    self.realm = realm
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    peer = folders.map { "\($0)/sqlite3" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  package func measure(round: Int, _ report: inout Report) throws {
    context.progress("round \(round + 1): imports and exports")
    let scratch = try ScratchFolder(in: context.folder.path)
    defer { scratch.remove() }
    let files = try RowFiles(context.data, in: scratch.url)
    if let peer { try measure(peer, files, context.data, in: scratch.url, &report) }
    try measureRealm(files, context.data, in: scratch.url, &report)
  }

  // MARK: realm

  private func measureRealm(
    _ files: RowFiles, _ data: BenchmarkData, in folder: URL, _ report: inout Report
  ) throws {
    func path(_ name: String) -> URL { folder.appending(path: name) }
    func run(_ workload: ToolWorkload, _ arguments: String...) throws {
      let process = try MeasuredProcess(realm, arguments, output: path("\(workload).txt"))
      workload.add(process, Report.ours, to: &report)
    }
    let key = ["--class", "Todo", "--primary-key", "id"]
    let (csv, json, sqlite) = (path("csv.realm"), path("json.realm"), path("sqlite.realm"))
    let array = path("array.realm")
    try run(.csvIn, "import", csv.path, files.csv.path, key[0], key[1], key[2], key[3])
    try run(.jsonIn, "import", json.path, files.json.path, key[0], key[1], key[2], key[3])
    let source = files.jsonArray.path
    try run(.jsonArrayIn, "import", array.path, source, key[0], key[1], key[2], key[3])
    try run(.csvOut, "export", csv.path, "--format", "csv", "--out", path("out.csv").path)
    try run(.jsonOut, "export", csv.path, "--out", path("out.json").path)
    let database = path("out.sqlite")
    try run(.sqliteOut, "export", csv.path, "--format", "sqlite", "--out", database.path)
    // A database that another program made, if there is one.
    let other = path("peer.sqlite")
    let isThere = FileManager.default.fileExists(atPath: other.path)
    try run(.sqliteIn, "import", sqlite.path, (isThere ? other : database).path)
    let restored = path("restored.realm")
    try run(.restore, "import", restored.path, path("out.json").path)

    for file in [csv, json, array, sqlite, restored] { try check(file, data, in: folder) }
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
    _ report: inout Report
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
      workload?.add(process, Report.base, to: &report)
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
    // Lines of JSON as rows of one column: no byte of theirs ends a cell. Then one array.
    let (lines, array) = (path("lines.sqlite"), path("array.sqlite"))
    let values = ["id", "name", "owner", "status", "priority", "score", "isDone"]
      .map { "json_extract(value, '$.\($0)')" }.joined(separator: ", ")
    try run(
      .jsonIn, lines,
      """
      \(RowFiles.table)
      CREATE TEMP TABLE line(value TEXT);
      .separator "\\001" "\\n"
      .import '\(files.json.path)' line
      INSERT INTO Todo SELECT \(values) FROM line;

      """, to: "peer.txt")
    try run(
      .jsonArrayIn, array,
      """
      \(RowFiles.table)
      INSERT INTO Todo SELECT \(values) FROM json_each(readfile('\(files.jsonArray.path)'));

      """, to: "peer.txt")
    for file in [database, restored, lines, array] {
      try run(nil, file, "SELECT count(*), sum(priority) FROM Todo;\n", to: "count.txt")
      let answer = try String(contentsOf: path("count.txt"), encoding: .utf8)
      guard answer == "\(data.count)|\(data.prioritySum)\n" else {
        throw BenchmarkError("sqlite3, \(file.lastPathComponent): \(answer)")
      }
    }
    try Self.checkLines(of: path("peer.csv"), data.count + 1)
  }
}
