// SPDX-License-Identifier: Apache-2.0

// The tables of SQLite as classes: of any database, of GRDB's and of SwiftData's stores.
//
// - a table is a class, its primary key of one column the primary key
// - a foreign key is a link
// - the declared type of a column decides about texts and numbers as dates, booleans and UUIDs
// - a store of SwiftData (Core Data) has tables ZENTITY with columns ZPROPERTY: the entities' names
//   are in Z_PRIMARYKEY; properties get lowercase names, as the store has capitals alone; dates
//   count from 2001

#if Tools
import Foundation
import RealmDeclarations
import RealmFormats
import RealmQuery
import RealmStorage
package import RealmTables
import RealmText

/// A database of SQLite whose rows are imported.
package struct SQLiteSource: Sendable {
  /// A column, to become a property.
  struct Field: Sendable {
    let column: String
    let property: String
    var type: ColumnType
    /// The class of its links.
    var target: String?
    let isNullable: Bool
    let isPrimaryKey: Bool
  }

  /// A table, to become a class.
  struct Table: Sendable {
    let name: String
    let className: String
    var fields: [Field]
    let count: Int
    /// The columns of a key of several: no class has one.
    let compoundKey: [String]
  }

  package let path: String
  let tables: [Table]
  /// The declaration in an export of ours; nil for other databases.
  let restoring: SQLiteRestoring?
  /// The losses of the import, in sentences.
  package let notes: [String]
  /// Whether the database is a store of Core Data.
  private let isCoreData: Bool

  /// Seconds from 1970 to 2001.
  private static let referenceDate = 978_307_200.0

  /// Reads the tables.
  ///
  /// - Parameters:
  ///   - links: The classes of links without a declaration in the database, by `Class.property`.
  ///   - types: Types of properties other than the declared ones, by `property` or
  ///     `Class.property`.
  package init(
    path: String, links: [String: String] = [:], types: [String: ColumnType] = [:]
  ) throws {
    self.path = path
    let database = try SQLiteDatabase(path: path, creates: false)
    let names = try database.rows(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' "
        + "ESCAPE '\\' ORDER BY name"
    ).compactMap { Self.text($0[0]) }
    let virtual = try VirtualTables(database)
    restoring = try SQLiteRestoring(database, tables: names)
    isCoreData = names.contains("Z_PRIMARYKEY") && names.contains("Z_METADATA")
    let classes =
      isCoreData
      ? try Self.coreDataClasses(names, database)
      : Self.plainClasses(names, leavingOut: virtual.leftOut)
    var tables: [Table] = []
    for name in names {
      guard let className = classes[name] else { continue }
      let isVirtual = virtual.names.contains(name)
      tables.append(
        try Self.table(
          name, className, classes, database, isCoreData: isCoreData, isVirtual: isVirtual))
    }
    try Self.set(links: links, in: &tables)
    try Self.set(types: types, in: &tables, isRestoring: restoring != nil)
    notes =
      virtual.notes
      + tables.filter { !$0.compoundKey.isEmpty }.map { table in
        "\(table.className): the key of \(table.compoundKey.count) columns "
          + "(\(table.compoundKey.joined(separator: ", "))) is no primary key of the class, which "
          + "can have one property only; importing again adds the objects again."
      }
    self.tables = tables
  }

  /// The classes of the tables, by the names of these.
  private static func coreDataClasses(
    _ names: [String], _ database: SQLiteDatabase
  ) throws -> [String: String] {
    var classes: [String: String] = [:]
    for row in try database.rows("SELECT Z_NAME FROM Z_PRIMARYKEY") {
      if let name = text(row[0]) { classes["Z" + name.uppercased()] = name }
    }
    return classes.filter { names.contains($0.key) }
  }

  /// The classes of the tables, by the names of these, which they have, too.
  private static func plainClasses(
    _ names: [String], leavingOut others: Set<String>
  ) -> [String: String] {
    let ignored: Set<String> = ["grdb_migrations", "room_master_table", "android_metadata"]
    let kept = names.filter { !ignored.contains($0) && !others.contains($0) }
    return Dictionary(kept.map { ($0, $0) }) { $1 }
  }

  /// Gives properties the classes of their links.
  private static func set(links: [String: String], in tables: inout [Table]) throws {
    for (place, target) in links {
      let parts = place.split(separator: ".", maxSplits: 1).map(String.init)
      guard parts.count == 2,
        let table = tables.firstIndex(where: { $0.className == parts[0] }),
        let field = tables[table].fields.firstIndex(where: { $0.property == parts[1] }),
        tables.contains(where: { $0.className == target })
      else {
        throw ToolFailure.usage(
          "--link \(place)=\(target): there is no such property, or no class '\(target)'. The "
            + "classes are: \(tables.map(\.className).joined(separator: ", ")).")
      }
      tables[table].fields[field].target = target
    }
  }

  /// Gives properties other types than the declared ones.
  private static func set(
    types: [String: ColumnType], in tables: inout [Table], isRestoring: Bool
  ) throws {
    for (place, type) in types {
      var isKnown = false
      for table in tables.indices {
        for field in tables[table].fields.indices {
          let name = tables[table].fields[field].property
          guard place == name || place == "\(tables[table].className).\(name)" else { continue }
          isKnown = true
          tables[table].fields[field].type = type
          tables[table].fields[field].target = nil
        }
      }
      guard isKnown || isRestoring else {
        throw ToolFailure.usage("--type \(place): no table has such a column.")
      }
    }
  }

  private static func text(_ value: SQLiteDatabase.Value) -> String? {
    if case .text(let text) = value { text } else { nil }
  }

  private static func integer(_ value: SQLiteDatabase.Value) -> Int64 {
    if case .integer(let number) = value { number } else { 0 }
  }

  static func quoted(_ name: String) -> String {
    "\"" + name.replacing("\"", with: "\"\"") + "\""
  }

  private static func table(
    _ name: String, _ className: String, _ classes: [String: String],
    _ database: SQLiteDatabase, isCoreData: Bool, isVirtual: Bool
  ) throws -> Table {
    let columns = try database.rows("PRAGMA table_info(\(quoted(name)))")
    let keys = columns.filter { integer($0[5]) > 0 }
    var targets: [String: String] = [:]
    for row in try database.rows("PRAGMA foreign_key_list(\(quoted(name)))") {
      // Keys of several columns have no property of their own.
      if let column = text(row[3]), let table = text(row[2]), let target = classes[table] {
        targets[column] = target
      }
    }
    var fields: [Field] = []
    for row in columns {
      guard let column = text(row[1]) else { continue }
      // Bookkeeping of Core Data.
      if isCoreData, column == "Z_ENT" || column == "Z_OPT" { continue }
      var property = column
      if isCoreData {
        property = column == "Z_PK" ? "pk" : String(column.dropFirst()).lowercased()
      }
      let isKey = keys.count == 1 && integer(row[5]) > 0
      let typeName = text(row[2]) ?? ""
      let declared =
        try Self.type(typeName)
        ?? (typeName.isEmpty && !isVirtual
          ? .mixed : Self.storedType(of: column, in: name, typeName, database))
      let type = isKey && !declared.canBePrimaryKey ? .string : declared
      var target = targets[column]
      if isCoreData, declared == .int, target == nil {
        // A relationship is an integer with the name of its entity.
        target = classes.values.first { $0.lowercased() == property }
      }
      var isNullable = !isKey && integer(row[3]) == 0
      if isKey, integer(row[3]) == 0 {
        // Keys without a declaration may be null, but for INTEGER PRIMARY KEY.
        isNullable = try !database.rows(
          "SELECT 1 FROM \(quoted(name)) WHERE \(quoted(column)) IS NULL LIMIT 1"
        ).isEmpty
      }
      fields.append(
        Field(
          column: column, property: property, type: type, target: isKey ? nil : target,
          isNullable: isNullable, isPrimaryKey: isKey))
    }
    let count = try database.rows("SELECT count(*) FROM \(quoted(name))")
    return Table(
      name: name, className: className, fields: fields,
      count: count.first.map { Int(integer($0[0])) } ?? 0,
      compoundKey: keys.count > 1 ? keys.compactMap { text($0[1]) } : [])
  }

  /// The type that a declaration means; nil if the values have to be looked at.
  private static func type(_ declared: String) -> ColumnType? {
    let text = declared.uppercased()
    if text.contains("UUID") || text.contains("GUID") { return .uuid }
    if text.contains("BOOL") { return .bool }
    if text.contains("DATE") || text.contains("TIME") { return .timestamp }
    if text.contains("INT") { return .int }
    if text.contains("CHAR") || text.contains("TEXT") || text.contains("CLOB") { return .string }
    if text.contains("BLOB") { return .binary }
    // Amounts of money are written with all their digits.
    if text.contains("DECIMAL") || text.hasPrefix("NUMERIC(") { return .decimal }
    return nil
  }

  /// The type that holds all values of a column. SQLite stores any value under the name of any
  /// type, and texts under those that it does not know, such as `JSON`.
  private static func storedType(
    of column: String, in table: String, _ declared: String, _ database: SQLiteDatabase
  ) throws -> ColumnType {
    let kinds = Set(
      try database.rows(
        "SELECT DISTINCT typeof(\(quoted(column))) FROM \(quoted(table))"
      ).compactMap { text($0[0]) }
    ).subtracting(["null"])
    switch kinds {
    case ["text"]: return .string
    case ["blob"]: return .binary
    case ["integer"], ["real"], ["integer", "real"]: return .double
    case []:
      let isNumber = ["REAL", "FLOA", "DOUB", "NUM"].contains { declared.uppercased().contains($0) }
      return isNumber ? .double : .string
    default: return .mixed
    }
  }

  // MARK: Rows

  /// Calls `body` with each row, or with its error, until it returns false. Lines count the rows of
  /// all tables.
  func forEach(
    isDigested: Bool, progress: ProgressHandler, _ body: (ImportRow) throws -> Bool
  ) throws {
    let database = try SQLiteDatabase(path: path, creates: false)
    var digest = InputDigest()
    let record = ImportRecord(isText: false)
    let classes = RecordClasses()
    if let restoring {
      let total = try restoring.objectCount(database)
      digest.add(JSONWriter.text(restoring.schema.json))
      let first = ImportRow(content: .schema(restoring.schema), line: 1, digest: digest)
      guard try body(first) else { return }
      return try restoring.forEach(database, record, classes) { cells, content, line in
        progress(line - 1, total)
        if isDigested { Self.add(cells, to: &digest) }
        return try body(ImportRow(content: content, line: line, digest: digest))
      }
    }
    let total = tables.reduce(0) { $0 + $1.count }
    var line = 0
    var goesOn = true
    for table in tables where goesOn && !table.fields.isEmpty {
      for name in [table.className] + table.fields.map(\.property) { digest.add(name) }
      let columns = table.fields.map { Self.quoted($0.column) }.joined(separator: ", ")
      let fields = classes[table.className]
      let numbers = table.fields.map { fields.number(of: $0.property) }
      let keyIndex = table.fields.firstIndex(where: \.isPrimaryKey)
      let linesBefore = line
      try database.run("SELECT \(columns) FROM \(Self.quoted(table.name))") { row in
        line += 1
        progress(line, total)
        if isDigested { Self.add(row, to: &digest) }
        record.begin(fields, line: line)
        record.tableRow = TableRow(
          table: table.name, key: keyIndex.map { (table.fields[$0].column, row[$0]) },
          number: line - linesBefore)
        let content: ImportRow.Content
        if let bad = fill(record, row, table, numbers) {
          content = .bad(bad)
        } else {
          content = .object(record)
        }
        goesOn = try body(ImportRow(content: content, line: line, digest: digest))
        return goesOn
      }
    }
  }

  /// Fills a record with the cells of a row; the defect of one that does not fit.
  private func fill(
    _ record: ImportRecord, _ row: [SQLiteDatabase.Value], _ table: Table, _ numbers: [Int]
  ) -> BadRow? {
    for (index, value) in row.enumerated() {
      let field = table.fields[index]
      guard let json = json(value, field) else {
        return BadRow(
          line: record.line, property: field.column,
          "\(Self.shown(value)) is no \(SchemaJSON.typeName(field.type))"
        ).in(record.tableRow)
      }
      record.cells.append(.init(field: numbers[index], value: .json(json), line: record.line))
    }
    return nil
  }

  /// Adds cells, each with its type and length, to the digest.
  private static func add(_ row: [SQLiteDatabase.Value], to digest: inout InputDigest) {
    for value in row {
      switch value {
      case .null: digest.add(UInt8(0))
      case .integer(let number):
        digest.add(UInt8(1))
        digest.add(UInt64(bitPattern: number))
      case .double(let number):
        digest.add(UInt8(2))
        digest.add(number.bitPattern)
      case .text(let text):
        digest.add(UInt8(3))
        digest.add(text)
      case .blob(let bytes):
        digest.add(UInt8(4))
        digest.add(UInt64(bytes.count))
        digest.add(bytes)
      }
    }
  }

  static func shown(_ value: SQLiteDatabase.Value) -> String {
    switch value {
    case .null: "null"
    case .integer(let number): "\(number)"
    case .double(let number): "\(number)"
    case .text(let text): "'\(CellText.shortened(text, limit: 40))'"
    case .blob(let bytes): "data of \(bytes.count) bytes"
    }
  }

  /// A cell as imports read it; nil if it does not fit the declared type.
  private func json(_ value: SQLiteDatabase.Value, _ field: Field) -> JSONValue? {
    let type = field.type
    switch value {
    case .null: return .null
    case .integer(let number):
      switch type {
      case .bool: return .bool(number != 0)
      case .timestamp: return date(Double(number))
      case .string: return .string("\(number)")
      case .int, .float, .double, .decimal, .mixed: return .integer(number)
      default: return nil
      }
    case .double(let number):
      switch type {
      case .timestamp: return date(number)
      case .int: return Int64(exactly: number).map { .integer($0) }
      // The shortest text of the number has the digits as they were written.
      case .string, .decimal: return .string("\(number)")
      case .float, .double: return number.isFinite ? .double(number) : .string("\(number)")
      case .mixed:
        return number.isFinite
          ? .double(number) : ["$double": .string("\(number)")]
      default: return nil
      }
    case .text(let text):
      switch type {
      case .string, .mixed: return .string(text)
      case .binary: return .string(Base64.encode(Array(text.utf8)))
      default:
        return ValueText.file.value(text, of: type).map { ObjectJSON.scalar($0) }
      }
    case .blob(let bytes):
      switch type {
      case .binary: return .string(Base64.encode(bytes))
      case .mixed:
        return ["$data": .string(Base64.encode(bytes))]
      case .uuid where bytes.count == 16:
        let high = bytes[..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let low = bytes[8...].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return ObjectJSON.scalar(.uuid(Bytes16(high: high, low: low)))
      default: return nil
      }
    }
  }

  private func date(_ seconds: Double) -> JSONValue? {
    let seconds = seconds + (isCoreData ? Self.referenceDate : 0)
    guard seconds.magnitude < 1e15 else { return nil }
    let whole = seconds.rounded(.towardZero)
    let time = Timestamp(
      seconds: Int64(whole), nanoseconds: Int32((seconds - whole) * 1_000_000_000))
    return .string(DateText.string(time))
  }
}
#endif
