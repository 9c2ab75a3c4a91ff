// SPDX-License-Identifier: Apache-2.0

// Values of the commonest types where they lie, so that recording them copies nothing and counts no
// reference.

package import RealmStorage

/// A value of one of the commonest types.
package enum PlainValue {
  case null
  case int(Int64)
  case bool(Bool)
  case double(Double)
  case timestamp(Timestamp)
  /// A text by its bytes, which stay where they are only during the call that gets them.
  case text(ByteView)

  /// The value that an element of a leaf is; nil if it is of another type.
  ///
  /// Where the leaf is known to the compiler, only one of the casts is left.
  @inline(__always)
  init?<L: Leaf>(_ leaf: L.Type, _ element: L.Value) {
    if L.self == IntegerLeaf.self, let number = element as? Int64 {
      self = .int(number)
    } else if L.self == StringLeaf.self, let text = element as? ByteView? {
      self = text.map { .text($0) } ?? .null
    } else if L.self == BoolLeaf.self, let truth = element as? Bool? {
      self = truth.map { .bool($0) } ?? .null
    } else if L.self == DoubleLeaf.self, let number = element as? Double? {
      self = number.map { .double($0) } ?? .null
    } else if L.self == NullableIntegerLeaf.self, let number = element as? Int64? {
      self = number.map { .int($0) } ?? .null
    } else if L.self == TimestampLeaf.self, let date = element as? Timestamp? {
      self = date.map { .timestamp($0) } ?? .null
    } else {
      return nil
    }
  }

  /// The value of a property, by its bytes in the database; nil if it is of another type.
  init?(of column: Column, in row: Row) throws(StorageError) {
    let leaf = column.leafIndex
    switch column.leafKind {
    case .int: self = .int(try row.int(leaf))
    case .nullableInt: self = try row.optionalInt(leaf).map { .int($0) } ?? .null
    case .timestamp: self = try row.timestamp(leaf).map { .timestamp($0) } ?? .null
    case .bool where !column.isNullable: self = .bool(try row.bool(leaf))
    case .double where !column.isNullable: self = .double(try row.double(leaf))
    case .string: self = try row.stringBytes(leaf).map { .text($0) } ?? .null
    default: return nil
    }
  }

  /// The value as one of any type.
  package var tableValue: TableValue {
    switch self {
    case .null: .null
    case .int(let number): .int(number)
    case .bool(let truth): .bool(truth)
    case .double(let number): .double(number)
    case .timestamp(let date): .timestamp(date)
    case .text(let view): unsafe .string(String(decoding: view.bytes, as: UTF8.self))
    }
  }
}
