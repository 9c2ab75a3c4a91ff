// SPDX-License-Identifier: Apache-2.0

// Objects that a query selects.

#if Tools
import ArgumentParser
import RealmSyncProtocol
import RealmTools

/// The command `realm query`.
struct QueryCommand: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "query",
    abstract: "Prints the objects that a query selects.",
    discussion: """
      A query is: Class [WHERE predicate] [SORT(path ASC|DESC, …)] [DISTINCT(path, …)] [LIMIT(n)], \
      with predicates as filter(_:) takes them.

      Example: realm query dogs.realm 'Dog WHERE age > 3 SORT(age DESC) LIMIT(20)'
      """)

  /// The forms of results.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case table, json, csv
  }

  @OptionGroup var file: FileOptions
  @Argument(help: "The query.")
  var query: String
  @Option(help: "table, json (an object on each line) or csv.")
  var format = Format.table
  @Flag(help: "The same as --format json.")
  var json = false
  @Flag(help: "Print how the objects are found, and not the objects.")
  var explain = false
  @Flag(help: "Print the number of objects alone.")
  var count = false
  @Option(help: "The most characters of a cell of a table.")
  var width = 40

  func validate() throws {
    guard width > 1 else { throw ValidationError("--width must be at least 2.") }
  }

  func work() throws -> ExitStatus {
    let reader = try file.reader()
    let sink = ByteSink(descriptor: 1)
    try reader.reading { group in
      let classes = try StoredClasses(group)
      let run = try QueryRun(query, in: group, classes)
      if explain { return try write(try run.explanation(in: group), to: sink) }
      let keys = try run.keys(in: group)
      if count {
        return try sink.writeLine(
          json
            ? JSONWriter.text(.object([JSONMember("count", .integer(Int64(keys.count)))]))
            : "\(keys.count)")
      }
      let output = try QueryOutput(run.schema, in: group, classes)
      switch json ? .json : format {
      case .json:
        for key in keys {
          if let object = try output.object(of: key) {
            try sink.write(JSONWriter.bytes(object) + [UInt8(ascii: "\n")])
          }
        }
      case .csv:
        try sink.writeLine(CSVText.line(output.header))
        for key in keys {
          if let row = try output.row(of: key) { try sink.writeLine(CSVText.line(row)) }
        }
      case .table:
        var rows: [[String]] = []
        for key in keys {
          guard let row = try output.row(of: key) else { continue }
          rows.append(row.map { $0.map { CellText.shortened($0, limit: width) } ?? "–" })
        }
        try sink.write(Terminal.table(output.header, rows))
        try sink.writeLine("\(rows.count) \(rows.count == 1 ? "object" : "objects")")
      }
    }
    try sink.finish()
    return .fine
  }

  private func write(_ lines: [String], to sink: ByteSink) throws {
    if json {
      return try sink.writeLine(
        JSONWriter.text(.object([JSONMember("plan", .array(lines.map { .string($0) }))])))
    }
    for line in lines { try sink.writeLine(line) }
  }
}
#endif
