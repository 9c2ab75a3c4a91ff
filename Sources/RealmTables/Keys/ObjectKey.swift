// SPDX-License-Identifier: Apache-2.0

// The name of an object inside one table (file format 3.6).

/// Identifies an object of a table.
///
/// Live objects have keys from 0 on; keys of tombstones (objects that a link still names but that
/// another device deleted) are -2 and below.
@frozen @usableFromInline
package struct ObjectKey: Hashable, Sendable, Comparable, CustomStringConvertible {
  @usableFromInline package let rawValue: Int64

  @inlinable @inline(__always)
  package init(_ rawValue: Int64) { self.rawValue = rawValue }

  /// "No object".
  @inlinable package static var null: ObjectKey { ObjectKey(-1) }

  @inlinable @inline(__always)
  package var isNull: Bool { rawValue == -1 }

  /// Whether the key names an object of the tombstone tree.
  @inlinable @inline(__always)
  package var isTombstone: Bool { rawValue < -1 }

  /// The key as cluster trees order it.
  @inlinable @inline(__always)
  package var ordinal: UInt64 { UInt64(bitPattern: rawValue) }

  /// The key that a table without a primary key gives to its `sequence`-th object.
  ///
  /// Bits 8 to 15 stay free: a synchronised client puts its file's identity there.
  @inlinable
  package static func scattered(_ sequence: UInt64) -> ObjectKey {
    ObjectKey(Int64(bitPattern: (sequence & 0xFF) | (sequence & ~0xFF) << 8))
  }

  @inlinable @inline(__always)
  package static func < (left: ObjectKey, right: ObjectKey) -> Bool {
    left.rawValue < right.rawValue
  }

  @usableFromInline package var description: String { "object \(rawValue)" }
}
