// SPDX-License-Identifier: Apache-2.0

// Packed integers: elements of 0, 1, 2, 4 (unsigned) and 8, 16, 32, 64 bits (signed).

/// Loads, stores and measures elements of a node with `NodeLayout.bits`.
///
/// - SeeAlso: file format 1.3.3.
@usableFromInline
package enum PackedIntegers {
  /// The element at `index` of a packed payload.
  ///
  /// - Safety: the payload holds more than `index` elements of that width.
  @inlinable @inline(__always)
  package static func load(_ payload: UnsafeRawPointer, widthCode: Int, at index: Int) -> Int64 {
    switch widthCode {
    case 0: return 0
    case 1:
      let byte = unsafe payload.load(fromByteOffset: index &>> 3, as: UInt8.self)
      return Int64(byte &>> UInt8(truncatingIfNeeded: index & 7) & 1)
    case 2:
      let byte = unsafe payload.load(fromByteOffset: index &>> 2, as: UInt8.self)
      return Int64(byte &>> UInt8(truncatingIfNeeded: (index & 3) &<< 1) & 3)
    case 3:
      let byte = unsafe payload.load(fromByteOffset: index &>> 1, as: UInt8.self)
      return Int64(byte &>> UInt8(truncatingIfNeeded: (index & 1) &<< 2) & 15)
    case 4: return unsafe Int64(payload.load(fromByteOffset: index, as: Int8.self))
    case 5: return unsafe Int64(payload.load(fromByteOffset: index &<< 1, as: Int16.self))
    case 6: return unsafe Int64(payload.load(fromByteOffset: index &<< 2, as: Int32.self))
    default: return unsafe payload.load(fromByteOffset: index &<< 3, as: Int64.self)
    }
  }

  /// The element at `index` of a key or offset array, whose elements are unsigned in every width.
  ///
  /// - Safety: the payload holds more than `index` elements of that width.
  @inlinable @inline(__always)
  package static func loadUnsigned(
    _ payload: UnsafeRawPointer, widthCode: Int, at index: Int
  ) -> UInt64 {
    switch widthCode {
    case 4: unsafe UInt64(payload.load(fromByteOffset: index, as: UInt8.self))
    case 5: unsafe UInt64(payload.load(fromByteOffset: index &<< 1, as: UInt16.self))
    case 6: unsafe UInt64(payload.load(fromByteOffset: index &<< 2, as: UInt32.self))
    case 7: unsafe payload.load(fromByteOffset: index &<< 3, as: UInt64.self)
    default: unsafe UInt64(bitPattern: load(payload, widthCode: widthCode, at: index))
    }
  }

  /// Overwrites the element at `index`.
  ///
  /// - Safety: the payload has room for more than `index` elements, and `value` fits the width.
  @inlinable @inline(__always)
  package static func store(
    _ value: Int64, to payload: UnsafeMutableRawPointer, widthCode: Int, at index: Int
  ) {
    switch widthCode {
    case 0: break
    case 1: unsafe storeBits(value, payload, byte: index &>> 3, shift: index & 7, mask: 1)
    case 2: unsafe storeBits(value, payload, byte: index &>> 2, shift: (index & 3) &<< 1, mask: 3)
    case 3: unsafe storeBits(value, payload, byte: index &>> 1, shift: (index & 1) &<< 2, mask: 15)
    case 4:
      unsafe payload.storeBytes(
        of: Int8(truncatingIfNeeded: value), toByteOffset: index, as: Int8.self)
    case 5:
      unsafe payload.storeBytes(
        of: Int16(truncatingIfNeeded: value), toByteOffset: index &<< 1, as: Int16.self)
    case 6:
      unsafe payload.storeBytes(
        of: Int32(truncatingIfNeeded: value), toByteOffset: index &<< 2, as: Int32.self)
    default:
      unsafe payload.storeBytes(of: value, toByteOffset: index &<< 3, as: Int64.self)
    }
  }

  @inlinable @inline(__always)
  static func storeBits(
    _ value: Int64, _ payload: UnsafeMutableRawPointer, byte: Int, shift: Int, mask: UInt8
  ) {
    let shift = UInt8(truncatingIfNeeded: shift)
    let old = unsafe payload.load(fromByteOffset: byte, as: UInt8.self) & ~(mask &<< shift)
    let new = old | (UInt8(truncatingIfNeeded: value) & mask) &<< shift
    unsafe payload.storeBytes(of: new, toByteOffset: byte, as: UInt8.self)
  }

  /// The code of the smallest width that holds `value`.
  @inlinable @inline(__always)
  package static func widthCode(for value: Int64) -> Int {
    if UInt64(bitPattern: value) < 16 {
      return value < 2 ? Int(value) : value < 4 ? 2 : 3
    }
    if Int64(Int8(truncatingIfNeeded: value)) == value { return 4 }
    if Int64(Int16(truncatingIfNeeded: value)) == value { return 5 }
    if Int64(Int32(truncatingIfNeeded: value)) == value { return 6 }
    return 7
  }

  /// The code of the smallest width of an unsigned array (8, 16, 32 or 64 bits).
  @inlinable @inline(__always)
  package static func unsignedWidthCode(for value: UInt64) -> Int {
    value < 0x100 ? 4 : value < 0x1_0000 ? 5 : value < 0x1_0000_0000 ? 6 : 7
  }
}
