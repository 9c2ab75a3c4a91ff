// SPDX-License-Identifier: Apache-2.0

// The address of a node: its offset from the start of the (decrypted) file.

/// The offset of a node from the start of the file; 0 means "no node".
///
/// Refs of committed nodes lie below the logical size of their version, refs of nodes made by the
/// running write transaction lie in the slab, above every possible file offset
/// (`NodeSpace`). Both become a pointer by the same addition.
///
/// - SeeAlso: file format 1.1.
@frozen @usableFromInline
package struct Ref: Hashable, Sendable, Comparable, CustomStringConvertible {
  @usableFromInline package let offset: Int

  @inlinable @inline(__always)
  package init(_ offset: Int) { self.offset = offset }

  /// The ref that a slot of a has-refs node holds, or nil if the slot is null or a tagged integer.
  @inlinable @inline(__always)
  package init?(slot: Int64) {
    guard slot != 0, slot & 1 == 0 else { return nil }
    offset = Int(slot)
  }

  @inlinable package static var null: Ref { Ref(0) }

  @inlinable @inline(__always) package var isNull: Bool { offset == 0 }

  /// The value that represents this ref in a slot of a has-refs node.
  @inlinable @inline(__always) package var slot: Int64 { Int64(offset) }

  @inlinable @inline(__always)
  package static func < (left: Ref, right: Ref) -> Bool { left.offset < right.offset }

  @usableFromInline package var description: String { "@\(offset)" }
}

/// Slots of has-refs nodes that hold a number instead of a ref (file format 1.1).
@usableFromInline
package enum Tagged {
  /// The slot value for a number of at most 63 bits.
  @inlinable @inline(__always)
  package static func slot(_ number: Int) -> Int64 { Int64(number) &<< 1 | 1 }

  /// The number in a slot, or nil if the slot holds a ref or is empty.
  @inlinable @inline(__always)
  package static func number(_ slot: Int64) -> Int? {
    slot & 1 == 1 ? Int(UInt64(bitPattern: slot) &>> 1) : nil
  }
}
