// SPDX-License-Identifier: Apache-2.0

// The properties whose values an export reads straight from their leaves.

#if Tools
import RealmStorage
import RealmTables

/// A column of a class, and how its values are read.
struct PlainColumn {
  /// A value that needs no value of its own.
  enum Value {
    case null
    case int(Int64)
    case bool(Bool)
    case double(Double)
    /// The bytes where they lie.
    case string(ByteView)
    /// A value of another type, or of a collection.
    case other(TableValue)
  }

  private enum Form {
    case int, optionalInt, bool, optionalBool, double, optionalDouble, string, other
  }

  let column: Column
  private let form: Form
  private let leaf: Int

  init(_ column: Column) {
    self.column = column
    leaf = column.leafIndex
    guard column.collection == .none else {
      form = .other
      return
    }
    form =
      switch (column.type, column.isNullable) {
      case (.int, false): .int
      case (.int, true): .optionalInt
      case (.bool, false): .bool
      case (.bool, true): .optionalBool
      case (.double, false): .double
      case (.double, true): .optionalDouble
      case (.string, _): .string
      default: .other
      }
  }

  /// The value of a row.
  @inline(__always)
  func value(of row: Row) throws(StorageError) -> Value {
    switch form {
    case .int: .int(try row.int(leaf))
    case .optionalInt: try row.optionalInt(leaf).map { .int($0) } ?? .null
    case .bool: .bool(try row.bool(leaf))
    case .optionalBool: try row.optionalBool(leaf).map { .bool($0) } ?? .null
    case .double: .double(try row.double(leaf))
    case .optionalDouble: try row.optionalDouble(leaf).map { .double($0) } ?? .null
    case .string: try row.stringBytes(leaf).map { .string($0) } ?? .null
    case .other: .other(try row.value(of: column))
    }
  }
}

extension ByteView {
  /// Whether all bytes are ASCII and none fulfils a condition.
  @inline(__always)
  func isASCII(without condition: (UInt8) -> Bool) -> Bool {
    for index in 0..<count where self[index] >= 0x80 || condition(self[index]) { return false }
    return true
  }
}
#endif
