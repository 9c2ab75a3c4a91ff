// SPDX-License-Identifier: Apache-2.0

// Copied values as views, and back; their order is that of the views.

package import RealmStorage

extension TableValue {
  /// A copy of a mixed value; nil for a collection. A link to a tombstone is null.
  @inline(__always)
  package init?(scalar: MixedValue) {
    switch scalar {
    case .null: self = .null
    case .int(let value): self = .int(value)
    case .bool(let value): self = .bool(value)
    case .string(let value): self = .string(value.string)
    case .binary(let value): self = .binary(value.array)
    case .timestamp(let value): self = .timestamp(value)
    case .float(let value): self = .float(value)
    case .double(let value): self = .double(value)
    case .decimal(let value): self = .decimal(value)
    case .objectId(let value): self = .objectId(value)
    case .uuid(let value): self = .uuid(value)
    case .typedLink(let table, let key):
      self =
        key < 0
        ? .null : .typedLink(TableKey(UInt32(truncatingIfNeeded: table)), ObjectKey(key))
    case .list, .dictionary: return nil
    }
  }

  /// Negative, zero or positive as this value comes before, with or after the other in the order of
  /// values. Collections are equal to each other.
  ///
  /// - SeeAlso: file format 4.13.
  package func compare(to other: TableValue) -> Int {
    withMixed { left in other.withMixed { right in left.compare(to: right) } }
  }

  /// Calls `body` with a view of the value that is valid during the call.
  package func withMixed<R, E>(_ body: (MixedValue) throws(E) -> R) throws(E) -> R {
    switch self {
    case .null: return try body(.null)
    case .int(let number): return try body(.int(number))
    case .bool(let truth): return try body(.bool(truth))
    case .float(let number): return try body(.float(number))
    case .double(let number): return try body(.double(number))
    case .string(let text):
      return try text.withByteView { (view) throws(E) in try body(.string(view)) }
    case .binary(let bytes):
      return try bytes.withByteView { (view) throws(E) in try body(.binary(view)) }
    case .timestamp(let date): return try body(.timestamp(date))
    case .decimal(let bits): return try body(.decimal(bits))
    case .objectId(let bytes): return try body(.objectId(bytes))
    case .uuid(let bytes): return try body(.uuid(bytes))
    case .link(let key): return try body(.typedLink(table: 0, key: key.rawValue))
    case .typedLink(let table, let key):
      return try body(.typedLink(table: Int64(table.rawValue), key: key.rawValue))
    case .list: return try body(.list(.null))
    case .dictionary: return try body(.dictionary(.null))
    }
  }
}
