// SPDX-License-Identifier: Apache-2.0

// Changesets as deployed apps write them, byte by byte (P2 A.6).

#if Server
/// The bytes of changesets.
enum DeployedChangesets {
  /// Class Item with its properties, and the embedded class Sub.
  static let schema = hex(
    "3f00044974656d3f01035f6964000000010a003f02035375620002013f03046e616d653f04000600030300003f0505"
      + "636f756e740600050100003f0604746167730600060300013f0703616e790600070001003f08047768656e06"
      + "00080501003f09056174747273060009000102033f0a047569647306000a0b00033f0b0373756206000b090100"
      + "023f0c046e65787406000c090100003f0d05707269636506000d0801003f0e017806020e070000")

  /// Creates an item and sets its property `count`.
  ///
  /// - Parameters:
  ///   - key: The last byte of its ObjectId.
  ///   - count: 0 to 63.
  static func item(_ key: UInt8, count: UInt8) -> [UInt8] {
    let id = [0x0A] + objectID(key)
    return hex("3f00044974656d0200") + id + hex("3f0105636f756e740400") + id
      + [1, 0, 1, count, 0]
  }

  /// Creates an item and sets its property `name`.
  static func item(_ key: UInt8, name: [UInt8]) -> [UInt8] {
    let id = [0x0A] + objectID(key)
    return hex("3f00044974656d0200") + id + hex("3f01046e616d650400") + id + [1, 0, 3]
      + integer(name.count) + name + [0]
  }

  /// The ObjectId of an item.
  static func objectID(_ last: UInt8) -> [UInt8] {
    hex("6b0146c7330843ddab5d51") + [last]
  }

  /// A number that is not negative (P2 A.1).
  private static func integer(_ value: Int) -> [UInt8] {
    value < 0x40 ? [UInt8(value)] : [UInt8(0x80 | value & 0x7F)] + integer(value >> 7)
  }

  static func hex(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map {
      UInt8(digits[$0] << 4 | digits[$0 + 1])
    }
  }
}
#endif
