// SPDX-License-Identifier: Apache-2.0

// The name of a column inside one table (file format 3.3).

/// Identifies a column of a table, and says where its data are and how they are laid out.
///
/// ```
/// bits  0..15  leaf index       bits 22..29  attributes (low 8 bits)
/// bits 16..21  type             bits 30..61  tag
/// ```
@frozen @usableFromInline
package struct ColumnKey: Hashable, Sendable, Comparable, CustomStringConvertible {
  @usableFromInline package let rawValue: Int64

  @inlinable @inline(__always)
  package init(_ rawValue: Int64) { self.rawValue = rawValue }

  /// Puts a key together; only the attributes that a key carries are kept.
  @inlinable
  package init(leafIndex: Int, type: ColumnType, attributes: ColumnAttributes, tag: UInt32) {
    assert(leafIndex >= 0 && leafIndex <= 0xFFFF, "a leaf index that no key holds")
    rawValue =
      Int64(leafIndex & 0xFFFF) | Int64(type.rawValue) << 16
      | Int64(attributes.intersection(.keyed).rawValue) << 22 | Int64(tag) << 30
  }

  /// "No column" in the opposite-column arrays.
  @inlinable package static var null: ColumnKey { ColumnKey(Int64.max) }

  /// The place of the column's leaf in each cluster: slot `leafIndex + 1`.
  @inlinable @inline(__always)
  package var leafIndex: Int { Int(rawValue & 0xFFFF) }

  /// The type, or nil for a number that the format does not define.
  @inlinable
  package var type: ColumnType? { ColumnType(rawValue: Int(rawValue >> 16 & 0x3F)) }

  @inlinable
  package var attributes: ColumnAttributes {
    ColumnAttributes(rawValue: UInt16(truncatingIfNeeded: rawValue >> 22 & 0xFF))
  }

  @inlinable
  package var tag: UInt32 { UInt32(truncatingIfNeeded: rawValue >> 30) }

  @inlinable
  package static func < (left: ColumnKey, right: ColumnKey) -> Bool {
    left.rawValue < right.rawValue
  }

  @usableFromInline package var description: String { "column \(rawValue)" }
}
