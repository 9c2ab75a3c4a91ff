// SPDX-License-Identifier: Apache-2.0

// Streams of parts that are compressed already.

import RealmFormats
import RealmTestSupport
import TestExtensions
import Testing

struct ZlibJoinerTests {
  @Test func joinedPartsAreOneStream() throws {
    for seed in RandomRuns.seeds(150) {
      var random = SeededGenerator(seed: seed)
      var joiner = ZlibJoiner()
      var plain: [UInt8] = []
      for _ in 0..<random.number(below: 6) {
        let data = random.data(random.size(upTo: 70_000))
        plain += data
        let compressed = Zlib.compressWithoutHeader(data, after: [7], isJoinable: true)
        expectTrue(ZlibJoiner.isJoinable(compressed.dropFirst()))
        try expectEqual(
          Zlib.decompressWithoutHeader(compressed, from: 1, byteCount: data.count), data)
        if random.percent(50) {
          joiner.append(data)
        } else {
          joiner.append(compressed: compressed.dropFirst(), byteCount: data.count)
        }
      }
      let stream = joiner.finish()
      expectEqual(joiner.byteCount, plain.count, "seed \(seed)")
      try expectEqual(Zlib.decompress(stream, byteCount: plain.count), plain, "seed \(seed)")
    }
  }

  @Test func streamsOfOtherEncodersAreNotJoined() {
    for bytes in [[], [1, 0, 0, 0xFF, 0xFF, 0, 0, 0, 1], Zlib.compress(Array("hello".utf8))] {
      expectFalse(ZlibJoiner.isJoinable(bytes[...]))
    }
  }
}
