// SPDX-License-Identifier: Apache-2.0

// Where imported objects come from.

#if Tools
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
  /// The character between cells of CSV; nil for a comma, unless the first row speaks against it.
  private let separator: Character?
  /// Whether the objects are the elements of one array of JSON. The rows are counted by them then,
  /// as the lines of an array say little.
  package let isArray: Bool
  /// The tables, if the file is a database of SQLite.
  let database: SQLiteSource?
  private let files: [File]
  /// The classes, if they are declared in another file than the rows'.
  private let schema: DeclaredSchema?

  /// - Parameters:
  ///   - path: The file; `-` is standard input.
  ///   - encoding: That of the file; nil for UTF-8, or UTF-16 if its mark says so.
  package init(
    path: String, format: Format, className: String?, separator: Character? = nil,
    encoding: InputEncoding? = nil
  ) throws(ToolFailure) {
    let input = try InputFile(path: path, encoding: encoding)
    files = [File(input: input, className: className, name: nil)]
    schema = nil
    self.path = path
    self.format = format
    self.className = className
    self.separator = separator
    if format == .json {
      isArray = try JSONReader.isArray(input)
    } else {
      isArray = false
    }
    database = nil
  }

  /// The file with the classes of a folder of CSV files.
  package static let schemaFileName = "realm-schema.json"

  /// The CSV files of a folder, each named after its class.
  ///
  /// Classes that the folder's declaration names need no file.
  package init(
    folder: String, separator: Character? = nil, encoding: InputEncoding? = nil
  ) throws(ToolFailure) {
    path = folder
    format = .csv
    className = nil
    self.separator = separator
    isArray = false
    database = nil
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let declared =
      try names.contains(Self.schemaFileName) ? Self.schema(ofFolder: folder) : nil
    schema = declared
    var files: [File] = []
    for name in names.sorted() where name.lowercased().hasSuffix(".csv") {
      let input = try InputFile(path: folder + "/" + name, encoding: encoding)
      let type = declared?.classes.first { Self.fileName(ofClass: $0.name) == name }
      files.append(
        File(input: input, className: type?.name ?? String(name.dropLast(4)), name: name))
    }
    guard !files.isEmpty || declared != nil else {
      throw ToolFailure(
        .noInput,
        "There are no CSV files in the folder '\(folder)', and no '\(Self.schemaFileName)'. Give a "
          + "folder that 'realm export --format csv' wrote, or the path of a file.")
    }
    self.files = files
  }

  /// The name of a class's file in a folder of CSV files.
  package static func fileName(ofClass name: String) -> String {
    name.replacing("/", with: "_") + ".csv"
  }

  private static func schema(ofFolder folder: String) throws(ToolFailure) -> DeclaredSchema {
    let input = try InputBytes(try InputFile(path: folder + "/" + Self.schemaFileName))
    guard let line = try input.nextLine() else {
      throw .badData("'\(Self.schemaFileName)' of '\(folder)' is empty.")
    }
    switch DeclaredSchema.inLine(Array(input.bytes[line]), 1) {
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
    separator = nil
    isArray = false
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
  ///
  /// - Parameter isDigested: Whether rows have a digest; it takes a look at each byte.
  func forEach(
    isDigested: Bool = false, progress: ProgressHandler = { _, _ in },
    _ body: (ImportRow) throws -> Bool
  ) throws {
    if let database {
      return try database.forEach(isDigested: isDigested, progress: progress, body)
    }
    if let schema {
      let row = ImportRow(content: .schema(schema), line: 0, digest: InputDigest())
      guard try body(row) else { return }
    }
    let total = files.reduce(0) { $0 + $1.input.byteCount }
    let classes = RecordClasses()
    var (lines, bytes, digest) = (0, 0, InputDigest())
    for file in files {
      digest.add(file.className ?? "")
      let input = try InputBytes(file.input, digest: digest, isDigested: isDigested)
      let before = bytes
      let goesOn = try forEachRow(
        of: file, input, classes, lines, progress: { done, _ in progress(before + done, total) },
        body)
      guard goesOn else { return }
      (lines, bytes, digest) = (lines + input.line, bytes + file.input.byteCount, input.digest)
    }
  }

  private func forEachRow(
    of file: File, _ input: InputBytes, _ classes: RecordClasses, _ firstLine: Int,
    progress: ProgressHandler, _ body: (ImportRow) throws -> Bool
  ) throws -> Bool {
    switch format {
    case .json:
      let reader = JSONReader(input, of: path, isArray: isArray, className: className, classes)
      while let (content, line) = try reader.next() {
        progress(input.offset, 0)
        let row = ImportRow(content: content, line: line, digest: input.digest)
        guard try body(row) else { return false }
      }
      return true
    case .csv: return try forEachCSVRow(of: file, input, classes, firstLine, progress, body)
    case .sqlite: throw ToolFailure.usage("'\(path)' was not opened as a database.")
    }
  }

  // MARK: CSV

  /// The first row of a file of CSV.
  private struct Header {
    /// By the position of a cell, the number of its property; nil for the objects' keys.
    var fields: [Int?] = []
    /// Whether texts with the look of formulas have apostrophes, as in our own exports, which have
    /// the objects' keys, too.
    var isGuarded = false
  }

  private func header(
    _ reader: CSVReader, _ record: ImportRecord, _ fields: RecordFields, in place: String
  ) throws -> Header {
    do {
      guard try reader.next(into: record) else {
        throw ToolFailure.badData("'\(place)' is empty: the first row names the properties.")
      }
    } catch let row as BadRow { throw ToolFailure.badData("\(row)") }
    let texts = record.cells.map { record.json($0).string }
    var header = Header()
    header.isGuarded = texts.contains("#")
    let names = texts.map { header.isGuarded ? CSVText.withoutGuard($0 ?? "") : $0 ?? "" }
    if let empty = names.firstIndex(of: "") {
      throw ToolFailure.badData("Column \(empty + 1) of '\(place)' has no name in the first row.")
    }
    if Set(names).count < names.count {
      throw ToolFailure.badData("Two columns of '\(place)' have the same name in the first row.")
    }
    try requireSeparator(names, in: place)
    header.fields = names.map { $0 == "#" ? nil : fields.number(of: $0) }
    return header
  }

  /// Checks whether the only name of a first row looks like several.
  private func requireSeparator(_ names: [String], in place: String) throws(ToolFailure) {
    guard separator == nil, names.count == 1 else { return }
    for (character, option) in [(";", ";"), ("\t", "\\t"), ("|", "|")]
    where names[0].contains(character) {
      throw .usage(
        "The first row of '\(place)' has one cell, '\(CellText.shortened(names[0], limit: 60))'. "
          + "If '\(option)' stands between its cells, give --separator '\(option)'; if this is the "
          + "name of a property, give --separator ','.")
    }
  }

  private func forEachCSVRow(
    of file: File, _ input: InputBytes, _ classes: RecordClasses, _ firstLine: Int,
    _ progress: ProgressHandler, _ body: (ImportRow) throws -> Bool
  ) throws -> Bool {
    let reader = CSVReader(input, separator: separator?.asciiValue ?? UInt8(ascii: ","))
    guard let className = file.className else {
      throw ToolFailure.usage("A CSV file names no class. Give one with --class.")
    }
    let record = ImportRecord(isText: true, file: file.name)
    let fields = classes[className]
    let header = try header(
      reader, record, fields, in: file.name.map { path + "/" + $0 } ?? path)
    let first = ImportRow(
      content: .header(fields), line: firstLine + record.line, digest: input.digest)
    guard try body(first) else { return false }
    while true {
      var line: Int
      let content: ImportRow.Content
      do {
        guard try reader.next(into: record) else { return true }
        line = record.line
        content = Self.content(record, header, fields)
      } catch let bad as BadRow {
        line = bad.line
        content = .bad(bad.in(file.name))
      }
      progress(input.offset, 0)
      let row = ImportRow(content: content, line: firstLine + line, digest: input.digest)
      guard try body(row) else { return false }
    }
  }

  /// Makes an object of the cells of a row.
  private static func content(
    _ record: ImportRecord, _ header: Header, _ fields: RecordFields
  ) -> ImportRow.Content {
    guard record.cells.count == header.fields.count else {
      return .bad(
        BadRow(
          line: record.line, column: record.cells.last?.column,
          "the row has \(record.cells.count) cells, the first row \(header.fields.count)"
        ).in(record.file))
    }
    record.fields = fields
    record.objectKey = nil
    var keyPosition: Int?
    for (position, field) in header.fields.enumerated() {
      guard let field else {
        keyPosition = position
        continue
      }
      record.cells[position].field = field
      if header.isGuarded { removeGuard(of: position, record) }
    }
    if let keyPosition {
      let key = record.cells.remove(at: keyPosition)
      record.objectKey = record.json(key).string.flatMap { Int64($0) }
    }
    return .object(record)
  }

  /// Removes the apostrophe in front of a text with the look of a formula.
  private static func removeGuard(of position: Int, _ record: ImportRecord) {
    switch record.cells[position].value {
    case .text(let range):
      guard let first = range.first, record.bytes[first] == UInt8(ascii: "'") else { return }
    case .json(.string): break
    case .json: return
    }
    let text = record.json(record.cells[position]).string ?? ""
    record.cells[position].value = .json(.string(CSVText.withoutGuard(text)))
  }
}
#endif
