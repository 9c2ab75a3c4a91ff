// SPDX-License-Identifier: Apache-2.0

// Compression and decompression agree with each other and with known streams.

import RealmFormats
import RealmTestSupport
import TestExtensions
import Testing

struct ZlibTests {
  /// What another encoder makes of one text.
  struct Stream: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var text: String
    var stream: String
  }

  private static let hello = "hello hello hello hello"
  private static let words = """
    item0abcpriceabc\n\n\n17\nitemabc\nabc\n\n0abc17\nprice17item0abcpriceabcabcabc170abc\n17item\
    \n17abc0item\n\n0itempriceitem17item\npriceabc\n017abcitem1717priceabc
    """

  static let streams = [
    Stream(testDescription: "empty, fixed", text: "", stream: "789c030000000001"),
    Stream(testDescription: "empty, stored", text: "", stream: "7801010000ffff00000001"),
    Stream(
      testDescription: "a match, fixed", text: hello, stream: "78dacb48cdc9c957c8402701680308b1"),
    Stream(
      testDescription: "stored", text: hello,
      stream: "7801011700e8ff68656c6c6f2068656c6c6f2068656c6c6f2068656c6c6f680308b1"),
    Stream(
      testDescription: "no match, fixed", text: hello,
      stream: "7801cb48cdc9c957c848cdc9c957c848cdc9c957c848cdc9c90700680308b1"),
    Stream(
      testDescription: "own codes", text: words,
      stream: """
        780105c1310a00300803c03dafa993efd1902183508affa7775ecda9e67da6aa0920125e4d35514de0543312
        f7998af46a4e35ef3355cd6a5633f25413915e0d22ab79bc1ae07835f799f26a22bd1adc67aa9a3891d5f46a
        2223ef3355cd0f5162319a
        """),
  ]

  @Test(arguments: streams) func knownStreams(_ sample: Stream) throws {
    let data = Array(sample.text.utf8)
    try expectEqual(Zlib.decompress(bytes(sample.stream), byteCount: data.count), data)
  }

  @Test func everyInputComesBack() throws {
    for seed in RandomRuns.seeds(150) {
      var random = SeededGenerator(seed: seed)
      let data = random.data(random.size(upTo: seed % 50 == 0 ? 100_000 : 4_000))
      let stream = Zlib.compress(data)
      expectTrue(stream.count <= data.count + data.count / 3_000 + 16, "seed \(seed)")
      try expectEqual(Zlib.decompress(stream, byteCount: data.count), data, "seed \(seed)")
    }
  }

  /// Rare symbols get codes that would be longer than the format allows.
  @Test func verySkewedFrequencies() throws {
    var data: [UInt8] = []
    var (count, next) = (1, 1)
    for symbol in 0..<20 as Range<UInt8> {
      data += (0..<min(count, 4_000)).flatMap { [symbol, UInt8($0 * 7 % 251), symbol] }
      (count, next) = (next, count + next)
    }
    let stream = Zlib.compress(data)
    expectTrue(stream.count < data.count)
    try expectEqual(Zlib.decompress(stream, byteCount: data.count), data)
  }

  @Test func repetitionsShrink() {
    let text = Array(String(repeating: "the same words again and ", count: 200).utf8)
    expectTrue(Zlib.compress(text).count < text.count / 20)
    expectTrue(Zlib.compress([UInt8](repeating: 7, count: 100_000)).count < 500)
  }

  /// A defect of a stream and the error that names it.
  struct Defect: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var stream: String
    var byteCount: Int
    var error: CompressionError
  }

  private static let stored = "7801011700e8ff68656c6c6f2068656c6c6f2068656c6c6f2068656c6c6f680308b1"
  private static let fixed = "78dacb48cdc9c957c8402701680308b1"

  static let defects = [
    Defect(testDescription: "nothing", stream: "", byteCount: 0, error: .truncated),
    Defect(testDescription: "header alone", stream: "7801", byteCount: 0, error: .truncated),
    Defect(testDescription: "method", stream: "7901030000000001", byteCount: 0, error: .badHeader),
    Defect(
      testDescription: "dictionary", stream: "78bb030000000001", byteCount: 0, error: .badHeader),
    Defect(
      testDescription: "header check", stream: "7802030000000001", byteCount: 0, error: .badHeader),
    Defect(testDescription: "block 3", stream: "780107", byteCount: 0, error: .badBlockType),
    Defect(
      testDescription: "stored sizes", stream: "7801010100ffff00", byteCount: 1,
      error: .badStoredSize),
    Defect(
      testDescription: "stored, cut", stream: "7801010200fdff00", byteCount: 2, error: .truncated),
    Defect(testDescription: "cut", stream: "78dacb48cdc9", byteCount: 23, error: .truncated),
    Defect(
      testDescription: "no checksum", stream: "78dacb48cdc9c957c840270168", byteCount: 23,
      error: .truncated),
    Defect(
      testDescription: "checksum", stream: "78dacb48cdc9c957c8402701680308b2", byteCount: 23,
      error: .badChecksum),
    Defect(
      testDescription: "more bytes", stream: fixed + "00", byteCount: 23, error: .trailingBytes),
    Defect(
      testDescription: "too short", stream: fixed, byteCount: 24, error: .shorterThanAnnounced),
    Defect(testDescription: "too long", stream: fixed, byteCount: 22, error: .longerThanAnnounced),
    Defect(
      testDescription: "stored, too long", stream: stored, byteCount: 22,
      error: .longerThanAnnounced),
    Defect(testDescription: "below zero", stream: fixed, byteCount: -1, error: .impossibleSize),
    Defect(
      testDescription: "impossible", stream: fixed, byteCount: 1 << 40, error: .impossibleSize),
    // A match of three bytes one byte back, before any byte.
    Defect(
      testDescription: "distance", stream: "780103020000000000", byteCount: 3,
      error: .badDistance),
    // Fixed codes with the unused literal symbol 286.
    Defect(
      testDescription: "symbol", stream: "78011b0300000000", byteCount: 3, error: .badCode),
    // Own codes: 30 literal codes too many.
    Defect(
      testDescription: "too many codes", stream: "7801fd0000000000", byteCount: 3,
      error: .badCodeLengths),
    // Own codes whose code for lengths has no code at all.
    Defect(
      testDescription: "no code for lengths", stream: "780105000000000000", byteCount: 3,
      error: .badCodeLengths),
  ]

  /// `BitReader` 1: a cut stream is not read as zeros. `Inflate` 1: a size is not believed before
  /// memory is taken for it.
  @Test(arguments: defects) func theDefectIsNamed(_ defect: Defect) {
    #expect(throws: defect.error) {
      try Zlib.decompress(bytes(defect.stream), byteCount: defect.byteCount)
    }
  }

  /// Damaged streams give an error or the announced number of bytes (`Inflate` 1).
  @Test(.heavy) func damagedStreamsNeverTrap() {
    var random = SeededGenerator(seed: 11)
    var streams = Self.streams.map { (bytes($0.stream), $0.text.utf8.count) }
    for _ in 0..<40 {
      let data = random.data(random.size(upTo: 300))
      streams.append((Zlib.compress(data), data.count))
    }
    var accepted = 0
    for round in 0..<200_000 {
      let (stream, count) = streams[round % streams.count]
      let byteCount = random.chance(0.1) ? Int.random(in: 0...70_000, using: &random) : count
      let result = try? Zlib.decompress(random.damaged(stream), byteCount: byteCount)
      if let result {
        accepted += 1
        if result.count != byteCount { Issue.record("\(round): \(result.count) bytes") }
      }
    }
    // The checksum finds nearly all of it.
    expectTrue(accepted < 2_000)
  }
}
