// SPDX-License-Identifier: Apache-2.0

// Exports of objects to JSON, CSV and SQLite.

#if Tools
import ArgumentParser
import Foundation
import RealmFormats
import RealmTables
import RealmTools

/// The command `realm export`.
struct ExportCommand: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Writes objects as JSON lines, CSV or an SQLite database.",
    discussion: """
      Without --query all classes are exported. JSON has an object on each line, with its class \
      and key, after a line that declares the classes. CSV has one class; several go to a folder, \
      a file for each, beside one with the classes. SQLite has a table for each class, and one \
      with the classes. Links are primary keys, or object keys where there is none. 'realm import' \
      makes an equal file of an export in JSON or SQLite.

      Without --format the name of --out decides: .csv, .tsv, .sqlite, .sqlite3 and .db, or a \
      folder; everything else is JSON.

      Example: realm export dogs.realm --query 'Dog WHERE age > 3' --out dogs.csv
      """)

  /// The forms of exports.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case json, csv, sqlite
  }

  @OptionGroup var file: FileOptions
  @Option(help: "json, csv or sqlite; otherwise the name of --out says it.")
  var format: Format?
  @Option(help: "A query, or a class; may be repeated.")
  var query: [String] = []
  @Option(
    name: [.customShort("o"), .long],
    help: "The file to write, or the folder of several CSV files; standard output without it.")
  var out: String?
  @Option(help: "The character between cells of CSV, \\t for a tab.")
  var separator: String?
  @Flag(inversion: .prefixedNo, help: "Begin JSON with a line that declares the classes.")
  var schema = true
  @Flag(help: "Write texts that a spreadsheet would run as formulas as they are, to CSV.")
  var formulas = false
  @Flag(help: "Replace files that are there already.")
  var force = false
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard separator == nil || separator == "\\t" || separator?.utf8.count == 1, separator != "\""
    else {
      throw ValidationError("--separator must be one character, or \\t.")
    }
  }

  /// The form that is asked for, or that the name of the target has.
  private var chosenFormat: Format {
    if let format { return format }
    guard let out else { return .json }
    if isFolder(out) { return .csv }
    switch ImportSource.format(of: out) {
    case .csv: return .csv
    case .sqlite: return .sqlite
    case .json: return .json
    }
  }

  private func isFolder(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    let isThere = unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
    return isThere ? isFolder.boolValue : path.hasSuffix("/")
  }

  /// Whether CSV goes to a folder, with a file for each class and one that declares them.
  private func goesToFolder(_ path: String, _ classCount: Int) throws(ToolFailure) -> Bool {
    if isFolder(path) { return true }
    let ending = URL(fileURLWithPath: path).pathExtension.lowercased()
    if classCount == 1 {
      let isThere = FileManager.default.fileExists(atPath: path)
      return query.isEmpty && ending.isEmpty && !isThere
    }
    guard !["csv", "tsv"].contains(ending) else {
      throw .usage(
        "'\(path)' is the name of one CSV file, and there are \(classCount) classes. Choose one "
          + "with --query, or give the name of a folder with --out.")
    }
    return true
  }

  func work() throws -> ExitStatus {
    let reader = try file.reader()
    let progress = ProgressLine("exporting")
    let count = try reader.reading { group in
      let exporter = try Exporter(group, progress: progress.report)
      let selection = try exporter.selection(of: query)
      switch chosenFormat {
      case .json:
        return try write(to: out) { try exporter.writeJSON(selection, hasSchema: schema, to: $0) }
      case .sqlite:
        guard let out else {
          throw ToolFailure.usage("A database of SQLite needs a file. Give one with --out.")
        }
        if force { try? FileManager.default.removeItem(atPath: out) }
        return try SQLiteExporter(group).write(selection, with: exporter, to: out)
      case .csv: return try writeCSV(selection, exporter)
      }
    }
    progress.clear()
    if let out {
      try output.print(
        ["objects": .integer(Int64(count)), "path": .string(out)]
      ) { "\(TextTable.count(count, "object")) written to \(out)\n" }
    }
    return .fine
  }

  private func writeCSV(
    _ selection: [(schema: TableSchema, keys: [ObjectKey]?)], _ exporter: Exporter
  ) throws -> Int {
    let isTabbed = out?.lowercased().hasSuffix(".tsv") ?? false
    let character: Character =
      separator.map { $0 == "\\t" ? "\t" : $0.first ?? "," } ?? (isTabbed ? "\t" : ",")
    func write(_ part: (schema: TableSchema, keys: [ObjectKey]?), to path: String?) throws -> Int {
      try self.write(to: path) {
        try exporter.writeCSV(
          part.schema, part.keys, separator: character, hasFormulas: formulas, to: $0)
      }
    }
    guard let out else {
      guard selection.count == 1 else {
        throw ToolFailure.usage(
          "The file has \(selection.count) classes. Choose one with --query, or a folder with "
            + "--out.")
      }
      return try write(selection[0], to: nil)
    }
    guard try goesToFolder(out, selection.count) else { return try write(selection[0], to: out) }
    try FileManager.default.createDirectory(atPath: out, withIntermediateDirectories: true)
    _ = try self.write(to: "\(out)/\(ImportSource.schemaFileName)") {
      try exporter.writeSchema(of: selection, to: $0)
      return 0
    }
    return try selection.reduce(0) { sum, part in
      let name = ImportSource.fileName(ofClass: part.schema.displayName)
      return try sum + write(part, to: "\(out)/\(name)")
    }
  }

  /// Lets `body` write to standard output, or to a file under its name only when it is complete.
  private func write(to path: String?, _ body: (ByteSink) throws -> Int) throws -> Int {
    let sink =
      try path.map { try ByteSink(path: $0, overwrites: force) }
      ?? ByteSink(descriptor: 1)
    let count = try body(sink)
    try sink.finish()
    return count
  }
}
#endif
