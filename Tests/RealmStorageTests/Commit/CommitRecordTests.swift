// SPDX-License-Identifier: Apache-2.0

// Records of commits as bytes.

import TestExtensions
import Testing

@testable import RealmStorage

struct CommitRecordTests {
  /// A record after a top array, read again.
  private func read(_ record: CommitRecord) -> CommitRecord? {
    let header = NodeHeader(flags: .hasRefs, layout: .bits, widthCode: 7, count: 11)
    var words = [UInt64](repeating: 0, count: 512)
    let top = record.topRef.offset / 8
    words[top] = header.bits
    for (index, word) in record.words.enumerated() { words[top + 12 + index] = word }
    return words.withUnsafeBytes { bytes in
      bytes.baseAddress.flatMap { base in
        CommitRecord(at: record.topRef, in: NodeSpace(base: base, fileEnd: bytes.count))
      }
    }
  }

  /// A commit that writes more pieces has two syncs instead.
  @Test func recordsOfAsManyPiecesAsThereMayBeAreRead() {
    let most = CommitRecord.pieceCountMax
    for count in [0, 1, most - 1, most, most + 1] {
      let record = CommitRecord(
        version: 9, topRef: Ref(64), baseRef: Ref(24),
        pieces: (0..<count).map { number in
          CommitRecord.Piece(
            position: 8 * number, byteCount: 16 + number, digest: UInt64(number) << 40)
        })
      expectEqual(read(record), count > most ? nil : record, "\(count)")
    }
  }
}
