// SPDX-License-Identifier: Apache-2.0

// Bytes of a string or binary where they lie in the file.

#if canImport(Darwin)
public import Darwin
#else
public import Glibc
#endif

/// A borrowed run of bytes: the value of a string or binary, or one to be stored.
///
/// Bytes read from a database stay where they are until the snapshot is released, or until the next
/// change of the write transaction they were read in. Who keeps them longer copies them (`string`).
@frozen @usableFromInline
@safe
package struct ByteView: @unchecked Sendable {
  // Sendable: see `Node`; the bytes of a committed node never change.

  @usableFromInline package let bytes: UnsafeRawBufferPointer

  @inlinable @inline(__always)
  package init(_ bytes: UnsafeRawBufferPointer) { unsafe self.bytes = unsafe bytes }

  /// The bytes of a text of the program, which are always valid.
  package init(_ text: StaticString) {
    unsafe self.init(start: UnsafeRawPointer(text.utf8Start), count: text.utf8CodeUnitCount)
  }

  @inlinable @inline(__always)
  package init(start: UnsafeRawPointer, count: Int) {
    unsafe bytes = unsafe UnsafeRawBufferPointer(start: start, count: count)
  }

  /// No bytes; not null.
  @inlinable package static var empty: ByteView {
    unsafe ByteView(UnsafeRawBufferPointer(start: nil, count: 0))
  }

  @inlinable @inline(__always) package var count: Int { unsafe bytes.count }

  @inlinable @inline(__always)
  package subscript(index: Int) -> UInt8 { unsafe bytes[index] }

  /// The four bytes from `offset` on, all of which are there, the first the most significant.
  @inlinable @inline(__always)
  package func bigEndianWord(at offset: Int) -> UInt32 {
    assert(offset >= 0 && offset + 4 <= count, "four bytes lie in the view")
    return unsafe UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  /// A copy as a string; bytes that are not UTF-8 are repaired.
  @inlinable package var string: String {
    // A string holds up to 15 bytes itself. Copied at once they take a third fewer instructions.
    if count > 15 { return unsafe String(decoding: bytes, as: UTF8.self) }
    return unsafe String(unsafeUninitializedCapacity: count) { copy in
      if let source = unsafe bytes.baseAddress {
        unsafe UnsafeMutableRawBufferPointer(copy).copyMemory(
          from: UnsafeRawBufferPointer(start: source, count: count))
      }
      return count
    }
  }
}

extension ByteView: Hashable, Comparable {
  @inlinable
  package static func == (left: ByteView, right: ByteView) -> Bool {
    guard left.count == right.count else { return false }
    guard let first = unsafe left.bytes.baseAddress, let second = unsafe right.bytes.baseAddress
    else {
      return true
    }
    return unsafe first == second || memcmp(first, second, left.count) == 0
  }

  /// The order of strings and binaries in the file: unsigned bytes, the shorter first.
  @inlinable
  package static func < (left: ByteView, right: ByteView) -> Bool {
    let shared = min(left.count, right.count)
    if shared > 0, let first = unsafe left.bytes.baseAddress,
      let second = unsafe right.bytes.baseAddress
    {
      let order = unsafe memcmp(first, second, shared)
      if order != 0 { return order < 0 }
    }
    return left.count < right.count
  }

  @inlinable
  package func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    unsafe hasher.combine(bytes: bytes)
  }
}
