// SPDX-License-Identifier: Apache-2.0

// The identity of objects without primary key on all devices.

import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmTables

struct GlobalKeyTests {
  @Test func bitsAreWhereTheFormatHasThem() throws {
    expectEqual(ObjectKey(globalHigh: 0, low: 0x1FF), ObjectKey(0x100FF))
    expectEqual(ObjectKey(globalHigh: 0xFF, low: 0), ObjectKey(0xFF00))
    expectEqual(ObjectKey(globalHigh: 0, low: 0xFFFF_FFFF), ObjectKey(0xFF_FFFF_00FF))
    expectEqual(ObjectKey(globalHigh: 0x3FFF_FF00, low: 0), ObjectKey(0x3FFF_FF00_0000_0000))
    expectEqual(
      ObjectKey(globalHigh: 0x3FFF_FFFF, low: 0xFFFF_FFFF)?.rawValue, 0x3FFF_FFFF_FFFF_FFFF)
  }

  @Test func keysOfOwnObjectsAreThoseOfTheTable() {
    for sequence in [0, 1, 255, 256, 65_535, 65_536, 1 << 24, 0xFFFF_FFFF] as [UInt64] {
      let key = ObjectKey.scattered(sequence)
      expectEqual(ObjectKey(globalHigh: 0, low: sequence), key)
      expectTrue(key.globalParts() == (0, sequence))
      // A file's identifier is what its own objects have on the wire, and never in their keys.
      expectTrue(key.globalParts(ownIdent: 300) == (300, sequence))
      expectEqual(ObjectKey(globalHigh: 300, low: sequence, ownIdent: 300), key)
    }
  }

  @Test func partsComeBackFromAnyKey() throws {
    var random = SeededGenerator(seed: 4)
    for _ in 0..<1000 {
      let high = UInt64.random(in: 0..<ObjectKey.globalHighLimit, using: &random)
      let low = UInt64.random(in: 0..<1 << 32, using: &random)
      let key = try #require(ObjectKey(globalHigh: high, low: low))
      expectTrue(key.rawValue >= 0)
      expectTrue(key.rawValue < 1 << 62)
      expectTrue(key.globalParts() == (high, low))
    }
  }

  @Test func globalKeysThatDoNotFitAreRefused() {
    expectEqual(ObjectKey(globalHigh: 1 << 30, low: 0), nil)
    expectEqual(ObjectKey(globalHigh: .max, low: 0), nil)
    expectEqual(ObjectKey(globalHigh: 0, low: 1 << 32), nil)
  }
}
