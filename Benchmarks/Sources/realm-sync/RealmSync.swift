// SPDX-License-Identifier: Apache-2.0

// What the parts of device sync cost: one row a part, each in a file of its own.

import Foundation

/// Runs the rows that the command line names, or all.
@main
enum RealmSync {
  static let rows: [SyncRow] = [
    .transform, .transformSingly, .parse, .encode, .record, .insertLocally, .insertRecorded,
    .bootstrap, .integration,
  ]

  private static var rowNames: [String] {
    let names = rows.map(\.name) + ChecksumRow.all.map(\.name)
    #if Server
    return names + ServerRow.all.map(\.name)
    #else
    return names
    #endif
  }

  static func main() async {
    let words = Array(CommandLine.arguments.dropFirst())
    let usage = SyncUsage.text(rows: rowNames)
    if words.contains("--help") || words.contains("-h") { return print(usage, terminator: "") }
    do {
      try await run(words)
    } catch let mistake as SyncMistake {
      end("\(mistake.text)\n\n\(usage)", 64)
    } catch {
      end("\(error)\n", 1)
    }
  }

  private static func end(_ text: String, _ code: Int32) -> Never {
    FileHandle.standardError.write(Data("realm-sync: \(text)".utf8))
    exit(code)
  }

  private static func run(_ words: [String]) async throws {
    var names = words
    #if Server
    if names.first == CrowdProcess.name { return try await CrowdProcess.run(names) }
    var options = SyncOptions()
    names = try options.take(names)
    #endif
    let known = rowNames
    for name in names {
      guard !name.hasPrefix("-") else { throw SyncMistake(text: "There is no option \(name).") }
      guard known.contains(where: { $0.hasPrefix(name) }) else {
        throw SyncMistake(text: "There is no row '\(name)'.")
      }
    }
    func isWanted(_ name: String) -> Bool {
      names.isEmpty || names.contains(where: { name.hasPrefix($0) })
    }
    for row in rows where isWanted(row.name) {
      let rates = (0..<5).map { _ in row.measure() }.sorted()
      let median = rates[rates.count / 2]
      print(row.name, "\(Int(median)) \(row.unit)/s", "(best \(Int(rates[rates.count - 1])))")
    }
    for row in ChecksumRow.all where isWanted(row.name) {
      let (with, without) = try row.times()
      let figures = [with / without, with, without].map { String(format: "%.3f", $0) }
      print(
        row.name, "\(figures[0]) × the processor time without",
        "(\(figures[1]) and \(figures[2]) µs)")
    }
    #if Server
    defer { MeasuredDatabase.end() }
    for row in ServerRow.all where isWanted(row.name) {
      try await row.measure(options) { line in
        // Each line is there although the next one takes minutes, or fails.
        FileHandle.standardOutput.write(Data("\(row.name), \(line)\n".utf8))
      }
    }
    #endif
  }
}
