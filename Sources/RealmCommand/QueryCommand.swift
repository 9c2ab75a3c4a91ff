// SPDX-License-Identifier: Apache-2.0

// The command `realm query`.

#if Tools
import ArgumentParser
import Foundation
import RealmFormats
import RealmTables
import RealmTools

/// The command `realm query`.
struct QueryCommand: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "query",
    abstract: "Prints the objects that a query selects.",
    discussion: """
      A query is: Class [WHERE predicate] [SORT(path ASC|DESC, …)] [DISTINCT(path, …)] [LIMIT(n)] \
      [OFFSET(n)], with predicates as filter(_:) takes them. The query '-' is read from standard \
      input. On a terminal, long tables are shown by the program in PAGER.

      Examples: realm query dogs.realm 'Dog WHERE age > 3 SORT(age DESC) LIMIT(20)'
                realm query dogs.realm Dog --columns name,age
                realm query dogs.realm Dog --count-by breed
      """)

  /// The forms of results.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case table, json, csv
  }

  @OptionGroup var file: FileOptions
  @Argument(help: "The query; - for standard input.")
  var query: String
  @Option(help: "table, json (an object on each line) or csv.")
  var format = Format.table
  @Flag(help: "The same as --format json.")
  var json = false
  @Option(help: "The properties to print, with commas between them.")
  var columns: String?
  @Flag(help: "Print how the objects are found, and not the objects.")
  var explain = false
  @Flag(help: "Print the number of objects alone.")
  var count = false
  @Option(help: "Print how many objects have each value of a property, and not the objects.")
  var countBy: String?
  @Option(help: "The most columns of the terminal that a cell of a table takes.")
  var width = 40
  @Flag(inversion: .prefixedNo, help: "Show long tables in pages.")
  var pager = true
  @Flag(help: "Write texts that a spreadsheet would run as formulas as they are, to CSV.")
  var formulas = false

  func validate() throws {
    guard width > 1 else { throw ValidationError("--width must be at least 2.") }
    guard [explain, count, countBy != nil].count(where: { $0 }) < 2 else {
      throw ValidationError("Give one of --explain, --count and --count-by.")
    }
  }

  private func text() throws -> String {
    guard query == "-" else { return query }
    let data = FileHandle.standardInput.readDataToEndOfFile()
    return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  func work() throws -> ExitStatus {
    let query = try text()
    let reader = try file.reader()
    let sink = ByteSink(descriptor: 1)
    let table = try reader.reading { _ -> String? in
      let classes = try reader.classes()
      let run = try QueryRun(query, in: classes)
      if explain {
        try write(try run.explanation(), to: sink)
        return nil
      }
      let keys = try run.keys()
      if count {
        try sink.writeLine(
          json
            ? JSONWriter.text(["count": .integer(Int64(keys.count))])
            : "\(keys.count)")
        return nil
      }
      if let countBy {
        let groups = try GroupCounts(of: countBy, keys, run.schema, in: classes)
        return try represent(groups, to: sink)
      }
      let names = columns?.split(separator: ",").map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      let output = try QueryOutput(run.schema, in: classes, columns: names)
      return try represent(keys, output, to: sink)
    }
    try sink.finish()
    if let table { try Pager.show(table, isAllowed: pager) }
    return .fine
  }

  /// Prints objects; a table is returned, so that it is shown when it is known to be whole.
  private func represent(
    _ keys: [ObjectKey], _ output: QueryOutput, to sink: ByteSink
  ) throws -> String? {
    switch json ? .json : format {
    case .json:
      for key in keys {
        if let object = try output.object(of: key) {
          try sink.write(JSONWriter.bytes(object) + [UInt8(ascii: "\n")])
        }
      }
      return nil
    case .csv:
      try sink.writeLine(CSVText.line(output.header, hasFormulas: formulas))
      for key in keys {
        if let row = try output.row(of: key) {
          try sink.writeLine(CSVText.line(row, hasFormulas: formulas))
        }
      }
      return nil
    case .table:
      var rows: [[String]] = []
      for key in keys {
        guard let row = try output.row(of: key) else { continue }
        rows.append(row.map(cell))
      }
      return TextTable.text(output.header.map(cell), rows)
        + TextTable.count(rows.count, "object") + "\n"
    }
  }

  private func represent(_ groups: GroupCounts, to sink: ByteSink) throws -> String? {
    switch json ? .json : format {
    case .json:
      for group in groups.all {
        try sink.writeLine(JSONWriter.text(groups.json(group)))
      }
      return nil
    case .csv:
      try sink.writeLine(
        CSVText.line([groups.property, "count"], hasFormulas: formulas))
      for group in groups.all {
        try sink.writeLine(
          CSVText.line([group.text, "\(group.count)"], hasFormulas: formulas))
      }
      return nil
    case .table:
      return TextTable.text(
        [cell(groups.property), "count"],
        groups.all.map { [cell($0.text), "\($0.count)"] })
        + TextTable.count(groups.all.count, "value") + "\n"
    }
  }

  private func cell(_ text: String?) -> String {
    text.map { CellText.shortened($0, limit: width) } ?? "–"
  }

  private func write(_ lines: [String], to sink: ByteSink) throws {
    if json {
      return try sink.writeLine(
        JSONWriter.text(["plan": .array(lines.map { .string($0) })]))
    }
    for line in lines { try sink.writeLine(line) }
  }
}
#endif
