// SPDX-License-Identifier: Apache-2.0

// Where imported objects come from.

import Foundation
import RealmDeclarations
import RealmFormats

/// A file of objects, to be read several times.
package struct ImportSource: Sendable {
  /// The forms of imported files.
  package enum Format: String, Sendable, CaseIterable {
    case json, csv, sqlite
  }

  /// A file of rows.
  private struct File {
    let input: InputFile
    let className: String?
    /// The name in reports, where there are several files.
    let name: String?
  }

  package let path: String
  package let format: Format
  /// The class of objects without a name of theirs.
  package let className: String?
  private let separator: Character
  /// The tables, if the file is a database of SQLite.
  let database: SQLiteSource?
  private let files: [File]
  /// The classes, if they are declared in another file than the rows'.
  private let schema: DeclaredSchema?

  /// - Parameter path: The file; `-` is standard input.
  package init(
    path: String, format: Format, className: String?, separator: Character = ","
  ) throws(ToolFailure) {
    let input = try InputFile(path: path)
    files = [File(input: input, className: className, name: nil)]
    schema = nil
    self.path = path
    self.format = format
    self.className = className
    self.separator = separator
    database = nil
  }

  /// The file with the classes of a folder of CSV files.
  package static let schemaFileName = "realm-schema.json"

  /// The CSV files of a folder, each named after its class.
  package init(folder: String, separator: Character = ",") throws(ToolFailure) {
    path = folder
    format = .csv
    className = nil
    self.separator = separator
    database = nil
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let declared =
      try names.contains(Self.schemaFileName) ? Self.schema(ofFolder: folder) : nil
    schema = declared
    var files: [File] = []
    for name in names.sorted() where name.lowercased().hasSuffix(".csv") {
      let input = try InputFile(path: folder + "/" + name)
      let type = declared?.classes.first { Self.fileName(ofClass: $0.name) == name }
      files.append(
        File(input: input, className: type?.name ?? String(name.dropLast(4)), name: name))
    }
    guard !files.isEmpty else {
      throw ToolFailure(.noInput, "There are no CSV files in the folder '\(folder)'.")
    }
    self.files = files
  }

  /// The name of a class's file in a folder of CSV files.
  package static func fileName(ofClass name: String) -> String {
    name.replacing("/", with: "_") + ".csv"
  }

  private static func schema(ofFolder folder: String) throws(ToolFailure) -> DeclaredSchema {
    let bytes = try InputBytes(try InputFile(path: folder + "/" + Self.schemaFileName))
    guard let line = try bytes.nextLine() else {
      throw .badData("'\(Self.schemaFileName)' of '\(folder)' is empty.")
    }
    switch Self.schema(in: line, 1) {
    case .success(let found?): return found
    case .success(nil): throw .badData("'\(Self.schemaFileName)' of '\(folder)' has no schema.")
    case .failure(let row): throw .badData("'\(Self.schemaFileName)' of '\(folder)': \(row)")
    }
  }

  /// The rows of a database of SQLite.
  package init(_ database: SQLiteSource) {
    path = database.path
    format = .sqlite
    className = nil
    separator = ","
    self.database = database
    files = []
    schema = nil
  }

  /// Whether the source is standard input or a pipe.
  package var isStream: Bool { files.contains { !$0.input.isRegular } }

  /// The format of a file name.
  package static func format(of path: String) -> Format {
    let ending = path.split(separator: ".").last?.lowercased() ?? ""
    switch ending {
    case "csv", "tsv": return .csv
    case "sqlite", "sqlite3", "db", "store": return .sqlite
    default: return .json
    }
  }

  /// Calls `body` with each object, or with the error of its row, until it returns false.
  func forEach(
    progress: ProgressHandler = { _, _ in },
    _ body: (ImportRow) throws -> Bool
  ) throws {
    if let database { return try database.forEach(progress: progress, body) }
    if let schema {
      let row = ImportRow(content: .schema(schema), line: 0, digest: InputDigest())
      guard try body(row) else { return }
    }
    let total = files.reduce(0) { $0 + $1.input.byteCount }
    var (lines, bytes, digest) = (0, 0, InputDigest())
    for file in files {
      digest.add(file.className ?? "")
      let input = try InputBytes(file.input, digest: digest)
      let before = bytes
      let goesOn = try forEachRow(
        of: file, input, lines, progress: { done, _ in progress(before + done, total) }, body)
      guard goesOn else { return }
      (lines, bytes, digest) = (lines + input.line, bytes + file.input.byteCount, input.digest)
    }
  }

  private func forEachRow(
    of file: File, _ bytes: InputBytes, _ firstLine: Int, progress: ProgressHandler,
    _ body: (ImportRow) throws -> Bool
  ) throws -> Bool {
    switch format {
    case .json:
      while true {
        let line = bytes.line
        guard let text = try bytes.nextLine() else { return true }
        if text.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
        progress(bytes.offset, 0)
        let row = ImportRow(content: content(text, line), line: line, digest: bytes.digest)
        guard try body(row) else { return false }
      }
    case .csv: return try forEachCSVRow(of: file, bytes, firstLine, progress, body)
    case .sqlite: throw ToolFailure.usage("'\(path)' was not opened as a database.")
    }
  }

  // MARK: JSON lines

  /// The schema in a line; nil if it is another line.
  private static func schema(in text: [UInt8], _ line: Int) -> Result<DeclaredSchema?, BadRow> {
    do throws(JSONError) {
      guard case .object(let members) = try JSONParser.parse(text), members.count == 1,
        members[0].key == "$schema"
      else { return .success(nil) }
      do throws(DeclaredSchema.Problem) {
        return .success(try DeclaredSchema(members[0].value))
      } catch { return .failure(BadRow(line: line, error.reason)) }
    } catch { return .success(nil) }
  }

  private func content(_ text: [UInt8], _ line: Int) -> ImportRow.Content {
    if text.starts(with: Self.schemaBeginning) {
      switch Self.schema(in: text, line) {
      case .success(let schema?): return .schema(schema)
      case .success(nil): break
      case .failure(let row): return .bad(row)
      }
    }
    return ImportRow.Content(record(text, line))
  }

  /// No other line is parsed as a schema before it is parsed as an object.
  private static let schemaBeginning = Array(#"{"$schema":"#.utf8)

  private func record(_ text: [UInt8], _ line: Int) -> Result<ImportRecord, BadRow> {
    let value: JSONValue
    do throws(JSONError) { value = try JSONParser.parse(text) } catch {
      if case .unexpectedByte(let offset) = error {
        return .failure(BadRow(line: line, column: offset + 1, "this is no JSON"))
      }
      return .failure(BadRow(line: line, "this is no JSON: \(error)"))
    }
    guard case .object(let members) = value else {
      return .failure(BadRow(line: line, "this is no JSON object"))
    }
    guard let name = value["$class"]?.string ?? className else {
      return .failure(
        BadRow(line: line, "the object names no class; give one with --class, or as \"$class\""))
    }
    var fields: [ImportRecord.Field] = []
    for member in members {
      var name = member.key
      if name.hasPrefix("$") {
        guard name.hasPrefix("$$") else { continue }
        name.removeFirst()
      }
      fields.append(.init(name: name, value: member.value, line: line))
    }
    return .success(
      ImportRecord(
        className: name, objectKey: value["$key"]?.integer, fields: fields, line: line))
  }

  // MARK: CSV

  private func forEachCSVRow(
    of file: File, _ bytes: InputBytes, _ firstLine: Int, _ progress: ProgressHandler,
    _ body: (ImportRow) throws -> Bool
  ) throws -> Bool {
    let reader = CSVReader(bytes, separator: separator.asciiValue ?? UInt8(ascii: ","))
    guard let className = file.className else {
      throw ToolFailure.usage("A CSV file names no class. Give one with --class.")
    }
    let place = file.name.map { path + "/" + $0 } ?? path
    let first: [CSVReader.Cell]?
    do { first = try reader.next() } catch let row as BadRow { throw ToolFailure.badData("\(row)") }
    guard let header = first else {
      throw ToolFailure.badData("'\(place)' is empty: the first row names the properties.")
    }
    // Our own exports have the objects' keys, and apostrophes before texts with the look of
    // formulas.
    let isGuarded = header.contains { $0.text == "#" }
    let names = header.map { isGuarded ? CSVText.withoutGuard($0.text ?? "") : $0.text ?? "" }
    if let empty = names.firstIndex(of: "") {
      throw ToolFailure.badData("Column \(empty + 1) of '\(place)' has no name in the first row.")
    }
    if Set(names).count < names.count {
      throw ToolFailure.badData("Two columns of '\(place)' have the same name in the first row.")
    }
    while true {
      var line = bytes.line
      var result: Result<ImportRecord, BadRow>
      do {
        guard var cells = try reader.next() else { return true }
        if isGuarded {
          for index in cells.indices {
            cells[index].text = cells[index].text.map(CSVText.withoutGuard)
          }
        }
        line = cells.first?.line ?? line
        result = record(className, names, cells, line, file.name)
      } catch let bad as BadRow {
        line = bad.line
        result = .failure(bad.in(file.name))
      }
      progress(bytes.offset, 0)
      let row = ImportRow(
        content: ImportRow.Content(result), line: firstLine + line, digest: bytes.digest)
      guard try body(row) else { return false }
    }
  }

  private func record(
    _ className: String, _ names: [String], _ cells: [CSVReader.Cell], _ line: Int,
    _ file: String?
  ) -> Result<ImportRecord, BadRow> {
    guard cells.count == names.count else {
      return .failure(
        BadRow(
          line: line, column: cells.last?.column,
          "the row has \(cells.count) cells, the first row \(names.count)"
        ).in(file))
    }
    var key: Int64?
    var fields: [ImportRecord.Field] = []
    for (name, cell) in zip(names, cells) {
      if name == "#" {
        key = cell.text.flatMap { Int64($0) }
        continue
      }
      fields.append(
        .init(
          name: name, value: JSONValue(cell.text), isText: true, line: cell.line,
          column: cell.column, file: file))
    }
    return .success(
      ImportRecord(className: className, objectKey: key, fields: fields, line: line))
  }
}
