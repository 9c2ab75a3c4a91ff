// SPDX-License-Identifier: Apache-2.0

// SHA-224 against the examples of its standard, by the processor's instructions and without.

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct DigestTests {
  private static func digest(_ bytes: [UInt8], isPortable: Bool) -> String {
    var digest = SHA224(isPortable: isPortable)
    let count = bytes.count / SHA224.blockByteCount
    let code = bytes.withUnsafeBytes { raw in
      if let address = raw.baseAddress { digest.update(address, count: count) }
      let rest = UnsafeRawBufferPointer(rebasing: raw[(count * SHA224.blockByteCount)...])
      return digest.digest(after: rest)
    }
    var result = [UInt8](repeating: 0, count: PageCode.byteCount)
    result.withUnsafeMutableBytes { raw in
      if let address = raw.baseAddress { code.store(to: address) }
    }
    return result.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  @Test(arguments: [
    ("", "d14a028c2a3a2bc9476102bb288234c415a2b01f828ea62ac5b3e42f"),
    ("abc", "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "75388b16512776cc5dba5da1fd890150b0c6455cb4f58b1952522525"
    ),
  ])
  func examplesOfTheStandard(_ text: String, _ expected: String) {
    for isPortable in [false, true] {
      expectEqual(Self.digest(Array(text.utf8), isPortable: isPortable), expected)
    }
  }

  @Test func aMillionLetters() {
    let letters = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
    expectEqual(
      Self.digest(letters, isPortable: false),
      "20794655980c91d8bbb4c1ea97618a4bf03f42581948b2ee4ee7ad67")
  }

  @Test func theProcessorAndTheRoundsAgree() {
    var random = SeededGenerator(seed: 1)
    for count in Array(0..<200) + [4096] {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      expectEqual(
        Self.digest(bytes, isPortable: true), Self.digest(bytes, isPortable: false), "\(count)")
    }
  }
}
