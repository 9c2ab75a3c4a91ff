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

  /// Up to 55 bytes have their length in the same block.
  @Test(arguments: [
    (55, "fb0bd626a70c28541dfa781bb5cc4d7d7f56622a58f01a0b1ddd646f"),
    (56, "d40854fc9caf172067136f2e29e1380b14626bf6f0dd06779f820dcd"),
    (63, "1d4e051f4d6fed2a63fd2421e65834cec00d64456553de3496ae8b1d"),
    (64, "a88cd5cde6d6fe9136a4e58b49167461ea95d388ca2bdb7afdc3cbf4"),
    (119, "e000e6709d26667b631faa7fc1bd404eb4774003c5fb4f51a0184875"),
    (120, "66924e30a9929327e7a6cf03747397226ed2efc180ebe3dea7132a79"),
  ])
  func lengthsAreInTheLastBlock(_ count: Int, _ expected: String) {
    let letters = [UInt8](repeating: UInt8(ascii: "a"), count: count)
    for isPortable in [false, true] {
      expectEqual(Self.digest(letters, isPortable: isPortable), expected)
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
