// SPDX-License-Identifier: Apache-2.0

// The keys of objects that were deleted while links to them remain (file format 3.6.1, 3.6.3).

import RealmStorage

extension ObjectKey {
  /// The key of the tombstone of an object with that primary key; nil for a value that is none.
  ///
  /// Values whose keys are equal are rare but for integers of more than 62 bits.
  static func tombstone(ofPrimaryKey value: TableValue) -> ObjectKey? {
    let low: UInt64? =
      switch value {
      case .null: 0
      case .int(let number): UInt64(bitPattern: number)
      case .string(let text): SHA1.low(of: text.utf8)
      case .objectId(let id):
        SHA1.low(
          of: (0..<12).map { index in
            index < 8
              ? UInt8(truncatingIfNeeded: id.high >> (56 - 8 * UInt64(index)))
              : UInt8(truncatingIfNeeded: id.low >> (24 - 8 * UInt32(index - 8)))
          })
      case .uuid(let id): id.low.byteSwapped
      default: nil
      }
    return low.map { ObjectKey(Int64($0 & 0x3FFF_FFFF_FFFF_FFFF)).tombstone }
  }

  /// The key of the tombstone whose plain key this is, for objects without primary key their own.
  var tombstone: ObjectKey { ObjectKey(-2 - rawValue) }

  /// The lowest key of a tombstone at the key of its primary key. Tombstones below found it taken.
  static var lowestHashed: ObjectKey { ObjectKey(0x3FFF_FFFF_FFFF_FFFF).tombstone }
}
