// SPDX-License-Identifier: Apache-2.0

// The column of a property in a form that accessors read with one load.

/// The column of a property: the leaf that holds its values, and the property's number.
@frozen
public struct _ColumnSlot: Sendable {
  @usableFromInline let leafIndex: Int32
  @usableFromInline let property: Int32

  @inlinable @inline(__always)
  var leaf: Int { Int(truncatingIfNeeded: leafIndex) }

  /// The slot of a property that cannot be set.
  @usableFromInline static let refused = _ColumnSlot(leafIndex: -1, property: -1)

  @inlinable @inline(__always)
  var isRefused: Bool { property < 0 }

  @inlinable
  init(leafIndex: Int32, property: Int32) {
    self.leafIndex = leafIndex
    self.property = property
  }
}
