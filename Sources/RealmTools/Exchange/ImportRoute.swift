// SPDX-License-Identifier: Apache-2.0

// From the cells of a record to the properties of a class.
//
// The way of a property is looked up once for a transaction, by its number. Values of the usual
// types go from the bytes of the file into the leaves of a new object, without a value in between.

#if Tools
import RealmFormats
import RealmQuery
import RealmTables

/// The ways of the properties of one class in one transaction.
final class ImportRoute {
  /// Where a property goes.
  private enum Way {
    /// The class has no such property.
    case none
    case primaryKey(Column)
    /// By the position in `values`.
    case plain(Int, Column)
    /// A collection, or a value of any type; a link where it can be one.
    case other(Column)
  }

  let fields: RecordFields
  let schema: TableSchema
  let table: WritableTable
  /// The plain values of the present object.
  let values: CollectedValues
  /// Its collections and values of any type.
  private(set) var others: [(column: Column, value: TableValue)] = []
  /// Its links, which are stored when all objects are there.
  private(set) var links: [(column: Column, field: ImportRecord.Field)] = []
  private(set) var primaryKey: TableValue?

  private let input: ValueInput
  private var ways: [Way] = []
  private let positions: [String: Int]

  init(_ fields: RecordFields, _ schema: TableSchema, _ input: ValueInput) throws {
    self.fields = fields
    self.schema = schema
    self.input = input
    table = try input.required(schema.key)
    let plain = schema.columns.filter {
      $0.collection == .none && !$0.canLink && !$0.isPrimaryKey
    }
    values = CollectedValues(plain)
    positions = Dictionary(uniqueKeysWithValues: plain.enumerated().map { ($1.name, $0) })
  }

  private func way(of name: String) -> Way {
    guard let column = schema.column(named: name) else { return .none }
    if column.isPrimaryKey { return .primaryKey(column) }
    return positions[name].map { .plain($0, column) } ?? .other(column)
  }

  /// Takes the values of a record.
  ///
  /// - Throws: `BadRow` if one does not fit its property.
  func take(_ record: ImportRecord) throws {
    while ways.count < fields.names.count { ways.append(way(of: fields.names[ways.count])) }
    values.removeAll()
    values.bytes = record.bytes
    others.removeAll(keepingCapacity: true)
    links.removeAll(keepingCapacity: true)
    primaryKey = nil
    for cell in record.cells {
      switch ways[cell.field] {
      case .none: continue
      case .plain(let position, let column):
        values[position] =
          try Self.plain(cell, of: record, column) ?? .other(value(of: cell, record, column))
      case .primaryKey(let column):
        if case .json(.integer(let number)) = cell.value, column.type == .int {
          primaryKey = .int(number)
        } else {
          primaryKey = try value(of: cell, record, column)
        }
      case .other(let column):
        let json = record.json(cell)
        if ValueInput.mayRefer(json, column) {
          links.append((column, record.field(cell)))
        } else {
          others.append((column, try value(of: cell, record, column)))
        }
      }
    }
  }

  private func value(
    of cell: ImportRecord.Cell, _ record: ImportRecord, _ column: Column
  ) throws -> TableValue {
    do {
      return try input.value(record.json(cell), column, isText: record.isText)
    } catch let problem as ValueInput.Problem {
      throw BadRow(record.field(cell), problem)
    }
  }

  /// The value of a cell in the usual forms of its type, as `ValueInput` would read it; nil for the
  /// others.
  private static func plain(
    _ cell: ImportRecord.Cell, of record: ImportRecord, _ column: Column
  ) -> CollectedValues.Value? {
    switch (column.type, cell.value) {
    case (.string, .text(let range)): return .text(range)
    case (.int, .json(.integer(let number))): return .int(number)
    case (.double, .json(.integer(let number))): return .double(Double(number))
    case (.double, .json(.double(let number))): return .double(number)
    case (.bool, .json(.bool(let truth))): return .bool(truth)
    case (_, .json(.null)): return column.isNullable ? .null : nil
    case (.int, .text(let range)) where record.isText:
      return NumberText.integer(record.bytes, range).map { .int($0) }
    case (.double, .text(let range)) where record.isText:
      return NumberText.double(record.bytes, range).map { .double($0) }
    case (.bool, .text(let range)) where record.isText:
      return truth(record.bytes, range).map { .bool($0) }
    default: return nil
    }
  }

  private static func truth(_ bytes: [UInt8], _ range: Range<Int>) -> Bool? {
    switch range.count {
    case 4: bytes[range].elementsEqual("true".utf8) ? true : nil
    case 5: bytes[range].elementsEqual("false".utf8) ? false : nil
    default: nil
    }
  }

  /// Stores what was taken, without links, in an object that is found, or made.
  ///
  /// - Parameter number: The key of an object without primary key in the source, which it gets if
  ///   the key is free.
  func store(_ number: Int64?) throws -> (key: ObjectKey, isNew: Bool) {
    let (key, isNew) = try object(number)
    if !isNew { try values.assign(to: key, in: table) }
    for (column, value) in others { try table.set(value, column, key) }
    return (key, isNew)
  }

  private func object(_ number: Int64?) throws -> (ObjectKey, isNew: Bool) {
    if schema.primaryKey != nil, let primaryKey {
      let found = try table.findOrCreate(primaryKey: primaryKey, beginningWith: values)
      return (found.key, found.isNew)
    }
    guard let number, number >= 0, try table.row(of: ObjectKey(number)) == nil else {
      return (try table.createObject(beginningWith: values).key, true)
    }
    let key = ObjectKey(number)
    _ = try table.createObject(under: key, beginningWith: values)
    return (key, true)
  }
}

extension BadRow {
  /// The row of a property whose value does not fit.
  init(_ field: ImportRecord.Field, _ problem: ValueInput.Problem) {
    self = BadRow(
      line: field.line, column: field.column, property: field.name, problem.reason
    ).in(field.file).in(field.tableRow)
  }
}
#endif
