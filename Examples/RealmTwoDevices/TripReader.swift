// SPDX-License-Identifier: Apache-2.0

// What a device has, as text.

import RealmSyncTestSupport
import RealmTables

/// Reads the newest version of a device's file.
struct TripReader {
  private let group: TableGroup

  init(_ device: SimulatedDevice) throws { group = try device.read() }

  /// A property of the trip.
  func trip(_ name: String) throws -> String { try text(name, "Trip", "alps") }

  /// A property of a person; "deleted" if there is no such person.
  func person(_ id: String, _ name: String) throws -> String { try text(name, "Person", id) }

  private func text(_ name: String, _ className: String, _ id: String) throws -> String {
    guard let table = try group.table(named: "class_" + className),
      let column = table.schema.column(named: name)
    else { throw Story.Failure(description: "there is no property \(name)") }
    guard let (_, row) = try table.findRow(primaryKey: .string(id)) else { return "deleted" }
    return try text(row, column)
  }

  private func text(_ row: Row, _ column: Column) throws -> String {
    var words: [String] = []
    switch column.collection {
    case .none: return try text(try row.value(of: column), column)
    case .list:
      for value in try row.list(column).values() { words.append(try text(value, column)) }
    case .set:
      for value in try row.list(column).values() { words.append(try text(value, column)) }
      words.sort()
    case .dictionary:
      for entry in try row.dictionary(column).entries(of: column).entries {
        words.append("\(entry.key) \(try text(entry.value, column))")
      }
      words.sort()
    }
    return words.isEmpty ? "nothing" : words.joined(separator: ", ")
  }

  private func text(_ value: TableValue, _ column: Column) throws -> String {
    switch value {
    case .null: return "nothing"
    case .int(let number): return String(number)
    case .string(let text): return text.isEmpty ? "nothing" : text
    case .link(let key):
      guard let table = try group.table(column.targetTable ?? .null),
        let row = try table.row(of: key)
      else { return "nothing" }
      // The key of an object with one is not shown.
      return try table.schema.columns.filter { !$0.isPrimaryKey && $0.type == .string }
        .map { try text(row, $0) }.filter { $0 != "nothing" }.joined(separator: " ")
    default: return "\(value)"
    }
  }
}
