// SPDX-License-Identifier: Apache-2.0

// The name of a table inside one file (file format 1.4.1).

/// Identifies a table of a file for as long as the table exists.
///
/// The low 16 bits are the table's index, the others a counter, to distinguish the key of a removed
/// table from the next one's with its index.
@frozen @usableFromInline
package struct TableKey: Hashable, Sendable, Comparable, CustomStringConvertible {
  @usableFromInline package let rawValue: UInt32

  @inlinable @inline(__always)
  package init(_ rawValue: UInt32) { self.rawValue = rawValue }

  /// "No table" in the opposite-table arrays.
  @inlinable package static var null: TableKey { TableKey(0x7FFF_FFFF) }

  /// The largest number of tables that a file can hold.
  @inlinable package static var maximumTableCount: Int { 0x1_0000 }

  @inlinable
  package init(index: Int, reuse: Int) {
    assert(index >= 0 && index < Self.maximumTableCount, "an index that no key holds")
    rawValue = UInt32(index & 0xFFFF) | UInt32(reuse & 0x7FFF) << 16
  }

  /// The position of the table in the file's arrays of tables and names.
  @inlinable package var index: Int { Int(rawValue & 0xFFFF) }

  @inlinable
  package static func < (left: TableKey, right: TableKey) -> Bool { left.rawValue < right.rawValue }

  @usableFromInline package var description: String { "table \(rawValue)" }
}
