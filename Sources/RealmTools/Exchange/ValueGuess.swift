// SPDX-License-Identifier: Apache-2.0

// The common type of a property's values.

#if Tools
import RealmDeclarations
import RealmFormats
package import RealmTables

/// The narrowest type for all values of an imported property.
package struct ValueGuess: Sendable {
  /// The values that can have the same types.
  private struct Kind {
    let types: TextTypes
    var count: Int
    /// The line of the first.
    let line: Int
  }

  /// In the order of their first values; there are few.
  private var kinds: [Kind] = []
  /// The kind of the last value: most have the same.
  private var last = 0
  private var hasNull = false
  private var arrays = 0
  private var others = 0

  package init() {}

  /// Takes a cell of a record into account.
  mutating func add(_ cell: ImportRecord.Cell, of record: ImportRecord) {
    switch cell.value {
    case .text(let range):
      others += 1
      add(TextTypes(record.bytes, range, isText: record.isText), line: cell.line)
    case .json(let value): add(value, isText: record.isText, line: cell.line)
    }
  }

  /// Takes a value into account.
  mutating func add(_ value: JSONValue, isText: Bool, line: Int) {
    switch value {
    case .null: hasNull = true
    case .array(let values):
      arrays += 1
      for value in values { add(TextTypes(value, isText: isText), line: line) }
    default:
      others += 1
      add(TextTypes(value, isText: isText), line: line)
    }
  }

  private mutating func add(_ types: TextTypes, line: Int) {
    if last < kinds.count, kinds[last].types == types {
      kinds[last].count += 1
      return
    }
    last = kinds.firstIndex { $0.types == types } ?? kinds.count
    if last < kinds.count {
      kinds[last].count += 1
    } else {
      kinds.append(Kind(types: types, count: 1, line: line))
    }
  }

  /// The types that all values can have; nil if there is none.
  private var candidates: TextTypes? {
    kinds.isEmpty ? nil : kinds.reduce(TextTypes.all) { $0.intersection($1.types) }
  }

  /// The reason against a type of most values; nil if there is none.
  func contradiction(to chosen: ColumnType) -> String? {
    guard chosen == .string || chosen == .mixed else { return nil }
    let valueCount = kinds.reduce(0) { $0 + $1.count }
    var nearest: (type: ColumnType, count: Int, line: Int)?
    for (type, member) in TextTypes.spelled {
      let against = kinds.filter { !$0.types.contains(member) }
      let count = against.reduce(0) { $0 + $1.count }
      guard count < nearest?.count ?? .max else { continue }
      nearest = (type, count, against.first?.line ?? 0)
    }
    guard let nearest, nearest.count > 0, nearest.count * 2 < valueCount else { return nil }
    return "\(nearest.count) of \(Self.grouped(valueCount)) are no "
      + "\(SchemaJSON.typeName(nearest.type)), first at line \(nearest.line)"
  }

  private static func grouped(_ number: Int) -> String {
    var text = ""
    for (index, digit) in String(number).reversed().enumerated() {
      if index > 0, index % 3 == 0 { text = "," + text }
      text = String(digit) + text
    }
    return text
  }

  /// The type, and whether values may be missing.
  package var result: (type: ColumnType, isList: Bool, isNullable: Bool) {
    let isList = arrays > 0 && others == 0
    // A property with lists among its values holds values of any type.
    guard arrays == 0 || isList else { return (.mixed, false, true) }
    guard let candidates else { return (isList ? .mixed : .string, isList, true) }
    let type = candidates.narrowest
    return (type, isList, isList ? false : hasNull || type == .mixed)
  }
}
#endif
