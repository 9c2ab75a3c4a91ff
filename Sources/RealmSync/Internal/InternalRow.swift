// SPDX-License-Identifier: Apache-2.0

// Rows of internal tables in read-only versions.

import RealmStorage
import RealmTables

/// A row of an internal table, whose values are checked.
struct InternalRow {
  private let row: Row
  private let schema: TableSchema

  init(_ row: Row, _ schema: TableSchema) {
    self.row = row
    self.schema = schema
  }

  func column(_ name: String) throws(StorageError) -> Column {
    guard let column = schema.column(named: name) else {
      throw .corrupted("the internal table '\(schema.name)' lacks '\(name)'")
    }
    return column
  }

  func value(_ name: String) throws(StorageError) -> TableValue {
    try row.value(of: try column(name))
  }

  func integer(_ name: String) throws(StorageError) -> Int64 {
    guard case .int(let number) = try value(name) else {
      throw .corrupted("'\(name)' of the internal table '\(schema.name)' is no number")
    }
    return number
  }

  func unsigned(_ name: String) throws(StorageError) -> UInt64 {
    guard let number = UInt64(exactly: try integer(name)) else {
      throw .corrupted("'\(name)' of the internal table '\(schema.name)' is negative")
    }
    return number
  }

  func text(_ name: String) throws(StorageError) -> String {
    guard let text = try optionalText(name) else {
      throw .corrupted("'\(name)' of the internal table '\(schema.name)' is no string")
    }
    return text
  }

  /// The text; nil for null.
  func optionalText(_ name: String) throws(StorageError) -> String? {
    if case .string(let text) = try value(name) { text } else { nil }
  }
}
