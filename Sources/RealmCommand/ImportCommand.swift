// SPDX-License-Identifier: Apache-2.0

// Objects from files of other programs.

#if Tools
import ArgumentParser
import Foundation
import RealmDeclarations
import RealmFormats
import RealmTables
import RealmTools

/// The command `realm import`.
struct ImportCommand: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Brings objects from JSON, CSV or SQLite into a file.",
    discussion: """
      The types of properties that the file lacks are guessed from all values, and shown before \
      anything is written. Objects with the primary key of one that is there change that one.

      Everything is one transaction: a bad row leaves the file as it was, unless --skip-bad-rows. \
      With --batch, each batch is a transaction. If such an import stops, the same command goes on \
      with the rows that are missing. It ends if earlier rows were changed since; --start-over \
      imports all rows again.

      The input '-' is standard input; pipes are read once and kept in a temporary file.

      JSON has an object on each line, or is one array of objects, of which one is in memory at a \
      time. Values of MongoDB's extended JSON, as mongoexport writes them, have their types.

      Exports of 'realm export' say which classes they are of, and need no options: JSON, SQLite, \
      and folders of CSV files.

      Tables of SQLite become classes, foreign keys links. Stores of GRDB and SwiftData are such \
      databases.

      Example: realm import dogs.realm dogs.csv --class Dog --primary-key id --dry-run
      """)

  @OptionGroup var file: FileOptions
  @Argument(
    help: "The file to import, or a folder of CSV files; - for standard input.", completion: .file()
  )
  var input: String
  @Option(
    help: ArgumentHelp(
      "json (an object on each line, or one array of objects), csv or sqlite; otherwise the name "
        + "of the file says it."))
  var from: String?
  @Option(name: .customLong("class"), help: "The class of the objects that do not name theirs.")
  var className: String?
  @Option(help: "The property that is the primary key of new classes.")
  var primaryKey: String?
  @Option(
    name: .customLong("type"),
    help: ArgumentHelp(
      "The type of a property, as name=type or Class.name=type; may be repeated. Types: int, bool, "
        + "string, data, date, float, double, decimal, objectId, uuid, mixed."))
  var types: [String] = []
  @Option(help: "A column of SQLite that links, as Class.property=Class; may be repeated.")
  var link: [String] = []
  @Option(help: "The character between cells of CSV; \\t for a tab.")
  var separator: String?
  @Option(
    help: ArgumentHelp(
      "How the characters of JSON and CSV are encoded: utf-8, utf-16, latin1 or windows-1252; "
        + "otherwise UTF-8, or UTF-16 where the file begins with its mark."))
  var encoding: String?
  @Option(help: "How many rows a transaction has.")
  var batch: Int?
  @Flag(help: "Import all rows again, also where an earlier import stopped in the middle.")
  var startOver = false
  @Flag(help: "Leave out rows that cannot be imported.")
  var skipBadRows = false
  @Flag(help: "Try everything, and write nothing.")
  var dryRun = false
  @OptionGroup var writing: WriteOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if let batch, batch < 1 { throw ValidationError("--batch must be at least 1.") }
    if let from, ImportSource.Format(rawValue: from) == nil {
      throw ValidationError("--from must be json, csv or sqlite.")
    }
    if let encoding, InputEncoding(named: encoding) == nil {
      throw ValidationError("--encoding must be utf-8, utf-16, latin1 or windows-1252.")
    }
    guard separator == nil || separator == "\\t" || separator?.utf8.count == 1, separator != "\""
    else { throw ValidationError("--separator must be one character, or \\t.") }
    _ = try givenTypes()
  }

  private func givenTypes() throws -> [String: ColumnType] {
    var result: [String: ColumnType] = [:]
    for text in types {
      let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2, let type = SchemaJSON.type(named: parts[1]) else {
        throw ValidationError("--type must be name=type, and not '\(text)'.")
      }
      result[parts[0]] = type
    }
    return result
  }

  private func source() throws -> ImportSource {
    let format = from.flatMap(ImportSource.Format.init) ?? ImportSource.format(of: input)
    if format == .sqlite {
      guard input != "-" else {
        throw ToolFailure.usage(
          "A database of SQLite cannot be read from standard input. Give the path of a file.")
      }
      let links = link.map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
      guard links.allSatisfy({ $0.count == 2 }) else {
        throw ToolFailure.usage("--link must be Class.property=Class.")
      }
      return ImportSource(
        try SQLiteSource(
          path: input, links: Dictionary(links.map { ($0[0], $0[1]) }) { $1 },
          types: try givenTypes()))
    }
    var isFolder: ObjCBool = false
    let isThere = unsafe FileManager.default.fileExists(atPath: input, isDirectory: &isFolder)
    let isTabbed = input.lowercased().hasSuffix(".tsv")
    let character: Character? =
      separator.map { $0 == "\\t" ? "\t" : $0.first ?? "," } ?? (isTabbed ? "\t" : nil)
    let encoding = encoding.flatMap { InputEncoding(named: $0) }
    if isThere, isFolder.boolValue {
      guard from == nil || format == .csv, className == nil else {
        throw ToolFailure.usage(
          "A folder has CSV files, each of the class that it is called after: --class and other "
            + "forms are for single files.")
      }
      return try ImportSource(folder: input, separator: character, encoding: encoding)
    }
    let name = URL(fileURLWithPath: input).deletingPathExtension().lastPathComponent
    // The name of a pipe says nothing about its objects.
    let isFile = input != "-" && !input.hasPrefix("/dev/")
    return try ImportSource(
      path: input, format: format,
      className: className ?? (format == .csv && isFile ? name : nil), separator: character,
      encoding: encoding)
  }

  func work() throws -> ExitStatus {
    let source = try source()
    let exists = FileManager.default.fileExists(atPath: file.file)
    let plan = try plan(of: source, exists: exists)
    if !output.json { try output.print(.null) { plan.text } }
    var options = Importer.Options()
    (options.batchSize, options.skipsBadRows, options.isDryRun) = (batch, skipBadRows, dryRun)
    options.startsOver = startOver
    let progress = ProgressLine("importing")
    var hasCommitted = false
    let importer = Importer(source, plan, options, progress: progress.report) {
      hasCommitted = true
      UnfinishedFiles.remove(file.file)
    }
    let report: ImportReport
    if exists {
      report = try importer.run(try file.writer(waiting: writing.waiting(for: file.file)))
    } else if dryRun {
      report = try temporary(importer)
    } else {
      // Stopped in its first transaction, the import leaves no file.
      UnfinishedFiles.add(file.file)
      defer {
        if !hasCommitted { NewFile.remove(file.file) }
        UnfinishedFiles.remove(file.file)
      }
      let waiting = writing.waiting(for: file.file)
      report = try importer.run(try file.writer(creates: true, waiting: waiting))
    }
    progress.clear()
    try output.print(report.json(plan)) { text(report, isArray: source.isArray) }
    return report.badRowCount > 0 && !skipBadRows ? .badData : .fine
  }

  /// The plan by the classes of the file, whose version is released before anything is written.
  private func plan(of source: ImportSource, exists: Bool) throws -> ImportPlan {
    let classes = exists ? try file.reader().classes() : nil
    let reading = ProgressLine("reading")
    return try ImportPlan(
      of: source, into: classes, primaryKey: primaryKey, types: try givenTypes(),
      progress: reading.report)
  }

  /// Tries the import in a temporary file.
  private func temporary(_ importer: Importer) throws -> ImportReport {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("realm-import-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try importer.run(
      try RealmWriter(path: folder + "/a.realm", key: file.encryption.key(), creates: true))
  }

  private func text(_ report: ImportReport, isArray: Bool) -> String {
    let place = isArray ? "element" : "line"
    var lines = report.badRows.map { Terminal.colored("bad row: \($0)", .red) }
    if report.badRowCount > report.badRows.count {
      lines.append("… and \(report.badRowCount - report.badRows.count) more")
    }
    if let line = report.resumedAfterLine { lines.append("Went on after \(place) \(line).") }
    let counts = "\(report.created) created, \(report.updated) changed"
    if report.isDryRun {
      lines.append("Nothing was written (--dry-run): \(counts), \(report.badRowCount) bad rows.")
    } else if report.isComplete {
      lines.append(
        "\(counts)" + (report.badRowCount > 0 ? ", \(report.badRowCount) bad rows" : "") + ".")
    } else if report.committedLine > 0 {
      lines.append(
        "Stopped; everything up to \(place) \(report.committedLine) is imported (\(counts)). "
          + "Correct the rows below that \(place) and start the import again.")
    } else {
      lines.append(
        "Nothing was imported. Correct the rows, or leave them out with --skip-bad-rows.")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
#endif
