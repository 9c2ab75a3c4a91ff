// SPDX-License-Identifier: Apache-2.0

// gzip files, read in parts.

import RealmFormats
import RealmTestSupport
import RealmText
import TestExtensions
import Testing

struct GzipTests {
  /// Reads a file whose source gives some bytes at a time.
  private static func content(_ file: [UInt8], _ size: Int) throws(CompressionError) -> [UInt8] {
    var position = 0
    var reader = GzipReader {
      let end = min(file.count, position + size)
      defer { position = end }
      return Array(file[position..<end])
    }
    var content: [UInt8] = []
    while true {
      let part = try reader.next()
      if part.isEmpty { return content }
      content += part
    }
  }

  @Test func aChecksumIsTheKnownOne() {
    var checksum = CRC32()
    checksum.add(Array("123456789".utf8))
    expectEqual(checksum.checksum, 0xCBF4_3926)
  }

  /// `InflateStream` 2: zeros from beyond a part would stand in the content.
  @Test func aFileComesBackInPartsOfAnySize() throws {
    var random = SeededGenerator(seed: 28)
    for length in [0, 1, 300, 70_000] {
      var bytes: [UInt8] = []
      while bytes.count < length {
        bytes += random.percent(50) ? random.data(7) : Array("a text that repeats ".utf8)
      }
      let file = Gzip.compress(bytes)
      for size in [1, 7, 4_096, 1 << 20] where size > 1 || length < 1_000 {
        try expectEqual(Self.content(file, size), bytes, "\(length) bytes, \(size) at a time")
      }
    }
  }

  /// `InflateStream` 1: a part is of limited size, however much the input repeats, and no more of
  /// the input is asked for than a part and a block need.
  @Test func whatIsInMemoryIsBounded() throws {
    let partByteCountMax = 1 << 16 + 258
    var random = SeededGenerator(seed: 29)
    let samples = [
      [UInt8](repeating: 7, count: 1 << 20),
      (0..<1 << 20).map { _ in UInt8.random(in: 0...255, using: &random) },
    ]
    for bytes in samples {
      let file = Gzip.compress(bytes)
      var (position, count) = (0, 0)
      var reader = GzipReader {
        let end = min(file.count, position + 1_000)
        defer { position = end }
        return Array(file[position..<end])
      }
      while case let part = try reader.next(), !part.isEmpty {
        expectTrue(part.count <= partByteCountMax)
        count += part.count
        expectTrue(position <= count + 1 << 16, "\(position) bytes for \(count)")
      }
      expectEqual(count, bytes.count)
    }
  }

  /// A file with a name and codes of its own, made by another program.
  @Test func aFileOfAnotherProgramIsRead() throws {
    let file = try #require(Base64.decode(Self.foreign))
    let content = try Self.content(file, 100)
    var checksum = CRC32()
    checksum.add(content)
    expectEqual(content.count, 1937)
    expectEqual(checksum.checksum, 0xA219_72EA)
    expectTrue(content.starts(with: Array("\ngamma gamm".utf8)))
  }

  @Test func membersFollowEachOther() throws {
    let file = Gzip.compress(Array("one ".utf8)) + Gzip.compress(Array("two".utf8))
    try expectEqual(Self.content(file, 5), Array("one two".utf8))
    try expectEqual(Self.content(file + [0, 0, 0], 5), Array("one two".utf8))
    #expect(throws: CompressionError.trailingBytes) {
      try Self.content(file + [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 5)
    }
  }

  /// `InflateStream` 1
  @Test func damageIsAnErrorOrHarmless() throws {
    let bytes = Array("some text, some text, and some more of some text".utf8)
    let file = Gzip.compress(bytes)
    for count in 0..<file.count {
      #expect(throws: CompressionError.self, "cut after \(count)") {
        try Self.content(Array(file.prefix(count)), 16)
      }
    }
    for position in file.indices {
      for bit in 0..<8 {
        var damaged = file
        damaged[position] ^= 1 << UInt8(bit)
        // The time, the level, and the bits after the last block are in no checksum.
        if let content = try? Self.content(damaged, 16) {
          expectEqual(content, bytes, "byte \(position), bit \(bit)")
        }
      }
    }
  }

  private static let foreign = """
    H4sICAAAAAAC/25vdGVzLnR4dACNlUsKwzAMRPdzilzNpaVdJNBF708LjsuTRzLZOMEe6zOSxnq242hbX9X296tt
    98f+advt8Vv6Bn47EIj+e97UfKmf9kvYmGES9nEIyLQw7G5iAtBzEToMEXFyMVKqADRnCVqaVSCnE5oJjBKFPAuK
    FT7BA4MuTI/EkU3SHc7BHJERzWKOUjMlJ7S4bGyDEjNr4MLGyXc3Rfde4WWItHPBt5S0VsKxqjDY/CGCdZcmx8tW
    DrHMo+Y3TUIkxbSJQxFJ36wDuTrYeM0KE2gpR0wrMfBbiSyklVRCtymElKvSYMP2XU0Y1b+zOM/0Z8LtHR1KV/WH
    O132UBAAOLBWIDwydHHGPZhBpexJSaZMyUPoA0BLgWR/BWOxnWcj4wvqchmikQcAAA==
    """.split(separator: "\n").joined()
}
