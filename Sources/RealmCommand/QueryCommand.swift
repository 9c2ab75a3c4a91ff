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
      input. The parts apply in their order, so OFFSET stands before LIMIT. A name of a class with \
      other characters than letters, digits and _ stands in `backticks`. On a terminal, long \
      tables are shown by the program in PAGER.

      Examples: realm query dogs.realm 'Dog WHERE age > 3 SORT(age DESC) LIMIT(20)'
                realm query dogs.realm Dog --columns name,age
                realm query dogs.realm Dog --count-by breed --avg age
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
  @Option(help: "Print the sum of a property of numbers; may be repeated.")
  var sum: [String] = []
  @Option(help: "Print the mean of a property of numbers; may be repeated.")
  var avg: [String] = []
  @Option(help: "Print the smallest value of a property of numbers or dates; may be repeated.")
  var min: [String] = []
  @Option(help: "Print the largest value of a property of numbers or dates; may be repeated.")
  var max: [String] = []
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
    guard terms.isEmpty || !explain && !count && columns == nil else {
      throw ValidationError(
        "--sum, --avg, --min and --max go together, and with --count-by, alone.")
    }
  }

  /// The aggregates that are asked for.
  private var terms: [QueryAggregates.Term] {
    let all: [(QueryAggregates.Term.Function, [String])] = [
      (.sum, sum), (.avg, avg), (.min, min), (.max, max),
    ]
    return all.flatMap { function, names in names.map { .init(function, of: $0) } }
  }

  private func text() throws -> String {
    guard query == "-" else { return query }
    let data = FileHandle.standardInput.readDataToEndOfFile()
    return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  func work() throws -> ExitStatus {
    let query = try text()
    let reader = try file.reader()
    try reader.reading { _ in
      let classes = try reader.classes()
      let run = try QueryRun(query, in: classes)
      if explain { return try write(try run.explanation()) }
      let keys = try run.keys()
      if count {
        return try write { sink in
          try sink.writeLine(
            json ? JSONWriter.text(["count": .integer(Int64(keys.count))]) : "\(keys.count)")
        }
      }
      if countBy != nil || !terms.isEmpty {
        return try represent(
          try QueryAggregates(terms, by: countBy, of: keys, run.schema, in: classes))
      }
      let names = columns?.split(separator: ",").map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      try represent(keys, try QueryOutput(run.schema, in: classes, columns: names))
    }
    return .fine
  }

  /// Lets `body` write to standard output.
  private func write(_ body: (ByteSink) throws -> Void) throws {
    let sink = ByteSink(descriptor: 1)
    try body(sink)
    try sink.finish()
  }

  private func represent(_ keys: [ObjectKey], _ output: QueryOutput) throws {
    switch json ? .json : format {
    case .json:
      try write { sink in
        for key in keys {
          if let object = try output.object(of: key) {
            try sink.write(JSONWriter.bytes(object) + [UInt8(ascii: "\n")])
          }
        }
      }
    case .csv:
      try writeCSV(output.header, keys) { try output.row(of: $0) }
    case .table:
      try writeTable(output.header, keys, "object") { try output.row(of: $0) }
    }
  }

  private func represent(_ aggregates: QueryAggregates) throws {
    switch json ? .json : format {
    case .json:
      try write { sink in
        for group in aggregates.groups {
          try sink.writeLine(JSONWriter.text(aggregates.json(group)))
        }
      }
    case .csv:
      try writeCSV(aggregates.header, aggregates.groups) { aggregates.row($0) }
    case .table:
      try writeTable(
        aggregates.header, aggregates.groups, countBy == nil ? nil : "value"
      ) { aggregates.row($0) }
    }
  }

  private func writeCSV<Element>(
    _ header: [String], _ elements: [Element], _ row: (Element) throws -> [String?]?
  ) throws {
    try write { sink in
      try sink.writeLine(CSVText.line(header, hasFormulas: formulas))
      for element in elements {
        if let cells = try row(element) {
          try sink.writeLine(CSVText.line(cells, hasFormulas: formulas))
        }
      }
    }
  }

  /// Writes a table as its rows are read.
  ///
  /// - Parameter noun: What the last line counts; nil for no such line.
  private func writeTable<Element>(
    _ header: [String], _ elements: [Element], _ noun: String?,
    _ row: (Element) throws -> [String?]?
  ) throws {
    // Three borders, the header and the number.
    try Pager.show(lineCount: elements.count + 5, isAllowed: pager) { sink in
      var table = TextTable(header.map(cell))
      for element in elements {
        guard let cells = try row(element) else { continue }
        try sink.write(table.add(cells.map(cell)))
        if table.count == TextTable.measuredRowCount { try sink.flush() }
      }
      try sink.write(table.finish())
      if let noun { try sink.writeLine(TextTable.count(table.count, noun)) }
    }
  }

  private func cell(_ text: String?) -> String {
    text.map { CellText.shortened($0, limit: width) } ?? "–"
  }

  private func write(_ lines: [String]) throws {
    try write { sink in
      if json {
        return try sink.writeLine(
          JSONWriter.text(["plan": .array(lines.map { .string($0) })]))
      }
      for line in lines { try sink.writeLine(line) }
    }
  }
}
#endif
