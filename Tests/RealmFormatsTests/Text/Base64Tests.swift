// SPDX-License-Identifier: Apache-2.0

// Bytes survive Base64; other texts are refused.

import RealmText
import TestExtensions
import Testing

struct Base64Tests {
  @Test func bytesComeBack() {
    for (plain, text) in [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
    ] {
      expectEqual(Base64.encode(Array(plain.utf8)), text)
      expectEqual(Base64.decode(text), Array(plain.utf8))
      expectEqual(Base64.decodePadded(text), Array(plain.utf8))
    }
  }

  @Test func tokensMayLackPaddingAndHaveTheURLAlphabet() {
    expectEqual(Base64.decode("Zm8"), Array("fo".utf8))
    expectEqual(Base64.decode("-_8"), [0xFB, 0xFF])
    for bad in ["A", "A===", "Zg=a", "Z g=", "Zh==", "===="] {
      expectEqual(Base64.decode(bad), nil)
    }
  }

  @Test func queryStringsHavePaddingAndTheStandardAlphabet() {
    expectEqual(Base64.decodePadded("+/8="), [0xFB, 0xFF])
    expectEqual(Base64.decodePadded("Zh=="), Array("f".utf8))
    for bad in ["Zm8", "-_8=", "A===", "Zg=a", "Z g=", "====", "AAAA===="] {
      expectEqual(Base64.decodePadded(bad), nil, "\(bad)")
    }
  }
}
