// SPDX-License-Identifier: Apache-2.0

// Numbers, bytes, ObjectIds and UUIDs survive their texts; other texts are refused.

import RealmText
import TestExtensions
import Testing

struct HexadecimalTextTests {
  @Test func numbersHaveZerosInFront() {
    expectEqual(HexadecimalText.text(0xA0, digits: 4), "00a0")
    expectEqual(HexadecimalText.text(.max, digits: 2), "ffffffffffffffff")
    expectEqual(HexadecimalText.value("00A0"), 0xA0)
    for bad in ["", "+1", "-1", "0x1", "1 ", "é", "１", "00000000000000001"] {
      expectEqual(HexadecimalText.value(bad[...]), nil, "\(bad)")
    }
  }

  @Test func bytesArePairsOfDigits() {
    expectEqual(HexadecimalText.bytes("00fFA0"), [0, 0xFF, 0xA0])
    expectEqual(HexadecimalText.bytes(""), [])
    for bad in ["0", "0g", "0 ", "１１"] { expectEqual(HexadecimalText.bytes(bad), nil, "\(bad)") }
  }

  @Test func idsHaveTheirForms() {
    let (object, uuid) = (
      ObjectIDBits(high: 0x5F_0102_0304_0506, low: 0x0708_090A),
      UUIDBits(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF)
    )
    expectEqual(object.text, "005f0102030405060708090a")
    expectEqual(uuid.text, "00112233-4455-6677-8899-aabbccddeeff")
    expectEqual(ObjectIDBits(text: object.text.uppercased()), object)
    expectEqual(UUIDBits(text: uuid.text.uppercased()), uuid)
    for bad in [
      "", "005f0102030405060708090", "005f0102030405060708090ag", "+05f0102030405060708090a",
    ] {
      expectEqual(ObjectIDBits(text: bad), nil, "\(bad)")
    }
    for bad in [
      "00112233445566778899aabbccddeeff", "0011223-34455-6677-8899-aabbccddeeff",
      "00112233-4455-6677-8899-aabbccddeefg", "{00112233-4455-6677-8899-aabbccddeeff}",
    ] {
      expectEqual(UUIDBits(text: bad), nil, "\(bad)")
    }
  }
}
