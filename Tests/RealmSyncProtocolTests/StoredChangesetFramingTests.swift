// SPDX-License-Identifier: Apache-2.0

// Changesets in files come back, and damaged ones are refused.

import RealmFormats
import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

struct StoredChangesetFramingTests {
  @Test func nothingStaysNothing() throws {
    expectEqual(StoredChangesetFraming.encode([]), [])
    try expectEqual(StoredChangesetFraming.decode([]), [])
    try expectEqual(StoredChangesetFraming.size([]), 0)
  }

  @Test func shortChangesetsAreStored() throws {
    expectEqual(StoredChangesetFraming.encode([7, 8]), bytes("01 02 0708"))
    let zeros = [UInt8](repeating: 0, count: 1_024)
    expectEqual(StoredChangesetFraming.encode(zeros), bytes("02 0004") + zeros)
  }

  @Test func longChangesetsAreCompressedWithoutHeaderAndWithChecksum() throws {
    let zeros = [UInt8](repeating: 0, count: 1_025)
    let encoded = StoredChangesetFraming.encode(zeros)
    expectTrue(encoded.starts(with: bytes("12 0104")))
    expectTrue(encoded.count < 40)
    expectEqual(StoredChangesetFraming.joinable(encoded), encoded.dropFirst(3))
    let stream = bytes("7801") + encoded.dropFirst(3)
    try expectEqual(Zlib.decompress(stream, byteCount: 1_025), zeros)
    expectEqual(encoded.suffix(4), Zlib.compress(zeros).suffix(4))
  }

  @Test func whatCompressionWouldLengthenIsStored() {
    var random = SeededGenerator(seed: 3)
    let noise = (0..<1_100).map { _ in UInt8.random(in: 0...255, using: &random) }
    expectEqual(StoredChangesetFraming.encode(noise), bytes("02 4c04") + noise)
  }

  @Test func everyChangesetComesBack() throws {
    for seed in RandomRuns.seeds(150) {
      var random = SeededGenerator(seed: seed)
      let data = random.data(random.size(upTo: 5_000))
      let encoded = StoredChangesetFraming.encode(data)
      try expectEqual(StoredChangesetFraming.decode(encoded), data, "seed \(seed)")
      try expectEqual(StoredChangesetFraming.size(encoded), data.count, "seed \(seed)")
      expectTrue(encoded.count <= data.count + 3, "seed \(seed)")
    }
  }

  /// A stream of another encoder, with the header that zlib gives it.
  @Test func otherEncodersAreRead() throws {
    let text = Array("hello hello hello hello".utf8)
    let encoded = bytes("11 17 cb48cdc9c957c8402701680308b1")
    try expectEqual(StoredChangesetFraming.decode(encoded), text)
    try expectEqual(
      StoredChangesetFraming.decode(bytes("14 17000000 cb48cdc9c957c8402701680308b1")), text)
  }

  @Test(
    arguments: [
      ("01", .truncated), ("01 02 07", .truncated), ("01 02 070809", .trailingBytes),
      ("09 000000000000000000", .badHeader), ("21 05 0000", .appleCompression),
      ("31 05 0000", .unknownAlgorithm(3)), ("18 ffffffffffffffff 00", .sizeOverLimit(.max)),
      ("04 01000040 00", .sizeOverLimit(0x4000_0001)), ("14 00000040 0300", .impossibleSize),
      ("11 17 cb48cdc9c957c8402701", .truncated),
    ] as [(String, CompressionError)])
  func theDefectIsNamed(_ hex: String, _ error: CompressionError) {
    #expect(throws: error) { try StoredChangesetFraming.decode(bytes(hex)) }
  }

  /// `REALM_DAMAGE_FACTOR` makes the search longer.
  @Test(.heavy) func damagedChangesetsNeverTrap() {
    var random = SeededGenerator(seed: 12)
    let samples = (0..<50).map { _ in StoredChangesetFraming.encode(random.data(2_000)) }
    for round in 0..<RandomRuns.damagedInputs(13_000) {
      let damaged = random.damaged(samples[round % samples.count])
      let size = try? StoredChangesetFraming.size(damaged)
      let result = try? StoredChangesetFraming.decode(damaged)
      if let result, result.count != size { Issue.record("round \(round)") }
    }
  }
}
