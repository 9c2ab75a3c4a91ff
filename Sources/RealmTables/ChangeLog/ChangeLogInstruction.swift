// SPDX-License-Identifier: Apache-2.0

// The instructions of a changeset and how their operands are encoded.

/// The first byte of each instruction of a changeset.
///
/// - SeeAlso: file format 2.7.3.
enum ChangeLogInstruction: UInt8 {
  case insertTable = 1
  case eraseTable = 2
  case renameTable = 3
  case selectTable = 10
  case createObject = 11
  case removeObject = 12
  case setField = 13
  case setDefaultField = 14
  case insertColumn = 20
  case eraseColumn = 21
  case renameColumn = 22
  case selectCollection = 30
  case collectionInsert = 31
  case collectionSet = 32
  case collectionMove = 33
  case collectionErase = 35
  case collectionClear = 36
  // Written by older releases for sets and dictionaries, with one operand each.
  case keyedCollection37 = 37
  case keyedCollection38 = 38
  case keyedCollection39 = 39
  case keyedCollection40 = 40
  case keyedCollection41 = 41
  case keyedCollection42 = 42
  case addLinkTarget = 43
  case keyedCollection44 = 44
  case selectNestedCollection = 45
}

/// Operands: little-endian groups of 7 bits.
///
/// Bit 7 is set in every byte but the last, whose bit 6 is the sign; a negative number is stored as
/// the magnitude of its complement.
enum ChangeLogInteger {
  /// The most bytes that a number takes.
  static let maximumByteCount = 10

  /// Writes `value` and returns the number of bytes written.
  ///
  /// - Safety: `maximumByteCount` bytes at `target` are writable.
  @inline(__always)
  static func store(_ value: Int64, to target: UnsafeMutablePointer<UInt8>) -> Int {
    var rest = UInt64(bitPattern: value < 0 ? ~value : value)
    var count = 0
    while rest >= 0x40 {
      unsafe target[count] = UInt8(truncatingIfNeeded: rest) | 0x80
      rest &>>= 7
      count &+= 1
    }
    unsafe target[count] = UInt8(truncatingIfNeeded: rest) | (value < 0 ? 0x40 : 0)
    return count &+ 1
  }

  /// Reads the number at `offset` and moves `offset` past it; nil if the bytes end in the middle of
  /// it or do not fit 64 bits.
  @inline(__always)
  static func load(_ bytes: UnsafeBufferPointer<UInt8>, at offset: inout Int) -> Int64? {
    var magnitude: UInt64 = 0
    var shift: UInt64 = 0
    while offset < bytes.count {
      let byte = unsafe bytes[offset]
      offset &+= 1
      let isLast = byte < 0x80
      let group = UInt64(byte & (isLast ? 0x3F : 0x7F))
      // 63 bits carry every magnitude; shift and back shows whether bits were lost.
      guard shift < 64, (group &<< shift) &>> shift == group else { return nil }
      magnitude |= group &<< shift
      if isLast {
        guard let value = Int64(exactly: magnitude) else { return nil }
        return byte & 0x40 == 0 ? value : ~value
      }
      shift &+= 7
    }
    return nil
  }
}
