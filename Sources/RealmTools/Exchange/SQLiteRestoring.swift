// SPDX-License-Identifier: Apache-2.0

// The objects of an exported database, complete.

#if Tools
import RealmDeclarations
import RealmFormats
import RealmTables
import RealmText

/// Reads the rows of a database with a declaration of its classes.
struct SQLiteRestoring: Sendable {
  private let layout: SQLiteLayout
  private let tables: Set<String>

  var schema: DeclaredSchema { layout.schema }

  /// The declaration of a database; nil if no export made it.
  init?(_ database: SQLiteDatabase, tables: [String]) throws {
    guard tables.contains(SQLiteLayout.schemaTable),
      case .text(let text)? = try database.rows(
        "SELECT declaration FROM \(SQLiteLayout.schemaTable)"
      ).first?.first
    else { return nil }
    do {
      layout = SQLiteLayout(try DeclaredSchema(try JSONParser.parse(text)))
    } catch let problem as DeclaredSchema.Problem {
      throw ToolFailure.badData("The schema of '\(database.path)' is damaged: \(problem.reason).")
    } catch let error as JSONError {
      throw ToolFailure.badData("The schema of '\(database.path)' is no JSON: \(error).")
    }
    self.tables = Set(tables)
  }

  /// How many objects there are.
  func objectCount(_ database: SQLiteDatabase) throws -> Int {
    var total = 0
    for type in schema.classes {
      guard let table = layout.tables[type.name], tables.contains(table.name) else { continue }
      let rows = try database.rows("SELECT count(*) FROM \(SQLiteSource.quoted(table.name))")
      if case .integer(let count)? = rows.first?.first { total += Int(count) }
    }
    return total
  }

  /// Calls `body` with each row, until it says false: its class and cells, and its object, which is
  /// `record`, filled anew each time.
  func forEach(
    _ database: SQLiteDatabase, _ record: ImportRecord, _ classes: RecordClasses,
    _ body: ([SQLiteDatabase.Value], ImportRow.Content, _ line: Int) throws -> Bool
  ) throws {
    var line = 1
    for type in schema.classes {
      guard let table = layout.tables[type.name], tables.contains(table.name),
        let keyColumn = layout.keyColumn(of: type.name)
      else { continue }
      let elements = try table.collections.map { property, name in
        let place = property.collection == .dictionary ? "key" : "position"
        return try database.prepare(
          "SELECT \(place), value FROM \(SQLiteSource.quoted(name)) WHERE owner = ? "
            + "ORDER BY rowid")
      }
      let columns = ([keyColumn] + table.columns.map(\.name)).map(SQLiteSource.quoted)
      let fields = classes[type.name]
      let linesBefore = line
      var goesOn = true
      try database.run(
        "SELECT \(columns.joined(separator: ", ")) FROM \(SQLiteSource.quoted(table.name)) "
          + "ORDER BY rowid"
      ) { row in
        line += 1
        var cells = [.text(type.name)] + row
        var collections: [[[SQLiteDatabase.Value]]] = []
        for statement in elements {
          var rows: [[SQLiteDatabase.Value]] = []
          try statement.run([row[0]]) { element in
            cells += element
            rows.append(element)
            return true
          }
          collections.append(rows)
        }
        record.begin(fields, line: line)
        record.tableRow = TableRow(
          table: table.name, key: (keyColumn, row[0]), number: line - linesBefore)
        let content: ImportRow.Content
        do throws(BadRow) {
          try fill(record, row, collections, type, table)
          content = .object(record)
        } catch { content = .bad(error.in(record.tableRow)) }
        goesOn = try body(cells, content, line)
        return goesOn
      }
      guard goesOn else { return }
    }
  }

  /// Fills a record with the cells of a row, and with the rows of its collections.
  private func fill(
    _ record: ImportRecord, _ row: [SQLiteDatabase.Value],
    _ collections: [[[SQLiteDatabase.Value]]], _ type: DeclaredSchema.Class,
    _ table: SQLiteLayout.Table
  ) throws(BadRow) {
    let line = record.line
    func add(_ property: DeclaredSchema.Property, _ value: JSONValue) {
      let number = record.fields.number(of: property.name)
      record.cells.append(.init(field: number, value: .json(value), line: line))
    }
    for ((property, _), cell) in zip(table.columns, row.dropFirst()) {
      add(property, try json(cell, property, type, line))
    }
    for ((property, _), rows) in zip(table.collections, collections) {
      if property.collection == .dictionary {
        var members: [JSONMember] = []
        for element in rows {
          guard case .text(let key) = element[0] else { continue }
          members.append(JSONMember(key, try json(element[1], property, type, line)))
        }
        add(property, .object(members))
      } else {
        var values: [JSONValue] = []
        for element in rows { values.append(try json(element[1], property, type, line)) }
        add(property, .array(values))
      }
    }
    if table.keyColumn != nil, case .integer(let number) = row[0] { record.objectKey = number }
  }

  /// A cell as JSON exports have it.
  private func json(
    _ cell: SQLiteDatabase.Value, _ property: DeclaredSchema.Property,
    _ type: DeclaredSchema.Class, _ line: Int
  ) throws(BadRow) -> JSONValue {
    let isEmbedded = property.target.flatMap { schema[$0]?.kind } == .embedded
    switch cell {
    case .null: return .null
    case .text(let text):
      if property.type == .float || property.type == .double {
        return text == SQLiteLayout.negativeZero ? .double(-0.0) : .string(text)
      }
      guard property.type == .mixed || isEmbedded else { return .string(text) }
      do throws(JSONError) { return try JSONParser.parse(text) } catch {
        throw BadRow(
          line: line, property: "\(type.name).\(property.name)",
          "'\(CellText.shortened(text, limit: 40))' is no JSON")
      }
    case .integer(let number):
      if property.type == .bool { return .bool(number != 0) }
      guard property.type == .link, let target = property.target,
        layout.tables[target]?.keyColumn != nil
      else { return .integer(number) }
      return ["$object": .integer(number)]
    case .double(let number):
      return number.isFinite ? .double(number) : .string("\(number)")
    case .blob(let bytes): return .string(Base64.encode(bytes))
    }
  }
}
#endif
