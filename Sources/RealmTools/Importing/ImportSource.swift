// SPDX-License-Identifier: Apache-2.0

// Where imported objects come from.

import RealmSyncProtocol

/// A file of objects that can be read more than once.
package struct ImportSource: Sendable {
  /// The forms of imported files.
  package enum Format: String, Sendable, CaseIterable {
    case json, csv, sqlite
  }

  package let path: String
  package let format: Format
  /// The class of objects that do not name theirs.
  package let className: String?
  private let separator: Character
  /// The tables, if the file is a database of SQLite.
  let database: SQLiteSource?
  private let input: InputFile?

  /// - Parameter path: The file; `-` is standard input.
  package init(
    path: String, format: Format, className: String?, separator: Character = ","
  ) throws(ToolFailure) {
    input = try InputFile(path: path)
    self.path = path
    self.format = format
    self.className = className
    self.separator = separator
    database = nil
  }

  /// The rows of a database of SQLite.
  package init(_ database: SQLiteSource) {
    path = database.path
    format = .sqlite
    className = nil
    separator = ","
    self.database = database
    input = nil
  }

  /// Whether the source is standard input or a pipe.
  package var isStream: Bool { input.map { !$0.isRegular } ?? false }

  /// The format that a name suggests.
  package static func format(of path: String) -> Format {
    let ending = path.split(separator: ".").last?.lowercased() ?? ""
    switch ending {
    case "csv", "tsv": return .csv
    case "sqlite", "sqlite3", "db", "store": return .sqlite
    default: return .json
    }
  }

  /// Calls `body` with each object, or with what is wrong with its row, until it says false.
  func forEach(
    progress: ProgressHandler = { _, _ in },
    _ body: (ImportRow) throws -> Bool
  ) throws {
    if let database { return try database.forEach(progress: progress, body) }
    guard let input else { return }
    let bytes = try InputBytes(input)
    let total = input.byteCount
    switch format {
    case .json:
      while true {
        let line = bytes.line
        guard let text = try bytes.nextLine() else { return }
        if text.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
        progress(bytes.offset, total)
        let row = ImportRow(result: record(text, line), line: line, digest: bytes.digest)
        guard try body(row) else { return }
      }
    case .csv: try forEachRow(of: bytes, total, progress, body)
    case .sqlite: throw ToolFailure.usage("'\(path)' was not opened as a database.")
    }
  }

  // MARK: JSON lines

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
    let fields = members.filter { !$0.key.hasPrefix("$") }.map {
      ImportRecord.Field($0.key, $0.value, isText: false, line: line, column: nil)
    }
    return .success(ImportRecord(name, key: value["$key"]?.integer, fields, line: line))
  }

  // MARK: CSV

  private func forEachRow(
    of bytes: InputBytes, _ total: Int, _ progress: ProgressHandler,
    _ body: (ImportRow) throws -> Bool
  ) throws {
    let reader = CSVReader(bytes, separator: separator.asciiValue ?? UInt8(ascii: ","))
    guard let name = className else {
      throw ToolFailure.usage("A CSV file names no class. Give one with --class.")
    }
    let first: [CSVReader.Cell]?
    do { first = try reader.next() } catch let row as BadRow { throw ToolFailure.badData("\(row)") }
    guard let header = first else {
      throw ToolFailure.badData("'\(path)' is empty: the first row names the properties.")
    }
    let names = header.map { $0.text ?? "" }
    if let empty = names.firstIndex(of: "") {
      throw ToolFailure.badData("Column \(empty + 1) of '\(path)' has no name in the first row.")
    }
    if Set(names).count < names.count {
      throw ToolFailure.badData("Two columns of '\(path)' have the same name in the first row.")
    }
    while true {
      var line = bytes.line
      var result: Result<ImportRecord, BadRow>
      do {
        guard let cells = try reader.next() else { return }
        line = cells.first?.line ?? line
        result = record(name, names, cells, line)
      } catch let bad as BadRow {
        line = bad.line
        result = .failure(bad)
      }
      progress(bytes.offset, total)
      let row = ImportRow(result: result, line: line, digest: bytes.digest)
      guard try body(row) else { return }
    }
  }

  private func record(
    _ className: String, _ names: [String], _ cells: [CSVReader.Cell], _ line: Int
  ) -> Result<ImportRecord, BadRow> {
    guard cells.count == names.count else {
      return .failure(
        BadRow(
          line: line, column: cells.last?.column,
          "the row has \(cells.count) cells, the first row \(names.count)"))
    }
    var key: Int64?
    var fields: [ImportRecord.Field] = []
    for (name, cell) in zip(names, cells) {
      if name == "#" {
        key = cell.text.flatMap { Int64($0) }
        continue
      }
      fields.append(
        ImportRecord.Field(
          name, cell.text.map { .string($0) } ?? .null, isText: true, line: cell.line,
          column: cell.column))
    }
    return .success(ImportRecord(className, key: key, fields, line: line))
  }
}
