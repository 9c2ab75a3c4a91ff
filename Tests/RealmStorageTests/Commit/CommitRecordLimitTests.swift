// SPDX-License-Identifier: Apache-2.0

// Records of commits at the end of their file, and pieces of every length.

import TestExtensions
import Testing

@testable import RealmStorage

struct CommitRecordLimitTests {
  private static let topRef = Ref(64)
  /// Where the record begins: behind a top array of eleven words.
  private static let start = 64 + 96

  private func record(_ pieces: [CommitRecord.Piece], base: Int = 24) -> CommitRecord {
    CommitRecord(version: 9, topRef: Self.topRef, baseRef: Ref(base), pieces: pieces)
  }

  /// Reads a record in a file of so many bytes; `change` changes a word of it.
  private func read(
    _ record: CommitRecord, fileEnd: Int, top count: Int = 11,
    change: (inout [UInt64]) -> Void = { _ in }
  ) -> CommitRecord? {
    var words = [UInt64](repeating: 0, count: 512)
    words[8] = NodeHeader(flags: .hasRefs, layout: .bits, widthCode: 7, count: count).bits
    for (index, word) in record.words.enumerated() { words[9 + count + index] = word }
    change(&words)
    return words.withUnsafeBytes { bytes in
      bytes.baseAddress.flatMap { base in
        CommitRecord(at: record.topRef, in: NodeSpace(base: base, fileEnd: fileEnd))
      }
    }
  }

  /// A record may end with its file.
  @Test(arguments: [0, 1, 2, 7]) func recordsEndWithTheirFile(pieceCount: Int) {
    let piece = CommitRecord.Piece(position: 24, byteCount: 8, digest: 5)
    let record = record(Array(repeating: piece, count: pieceCount))
    let end = Self.start + CommitRecord.byteCount(pieceCount: pieceCount)
    expectEqual(record.words.count * 8, CommitRecord.byteCount(pieceCount: pieceCount))
    expectEqual(read(record, fileEnd: end), record)
    expectEqual(read(record, fileEnd: end + 8), record)
    for missing in [8, 16, CommitRecord.byteCount(pieceCount: pieceCount)] {
      expectEqual(read(record, fileEnd: end - missing), nil)
    }
  }

  /// What it continues lies in the file, and every word of it counts.
  @Test func everyWordOfARecordCounts() {
    let pieces = (1...3).map { CommitRecord.Piece(position: 24, byteCount: 8, digest: UInt64($0)) }
    expectEqual(read(record(pieces, base: 4088), fileEnd: 4096)?.baseRef, Ref(4088))
    expectEqual(read(record(pieces, base: 4096), fileEnd: 4096), nil)
    expectEqual(read(record(pieces, base: 4104), fileEnd: 4096), nil)
    let record = record(pieces)
    for index in 0..<record.words.count {
      let changed = read(record, fileEnd: 4096) { $0[20 + index] ^= 8 }
      expectEqual(changed, nil, "word \(index)")
    }
    expectEqual(read(record, fileEnd: 4096, top: 8), nil)
    expectEqual(read(record, fileEnd: 4096, top: 12), record)
  }

  /// A digest is that of the piece, and not of what lies behind it.
  @Test(arguments: [0, 8, 16, 24, 32, 40, 48, 64, 72, 80, 144])
  func everyWordOfAPieceCounts(byteCount: Int) {
    var words = (1...20).map { UInt64($0) << 40 | UInt64($0) }
    func digest(at position: Int = 64) -> UInt64 {
      words.withUnsafeBytes {
        CommitRecord.digest(of: UnsafeRawBufferPointer(rebasing: $0[..<byteCount]), at: position)
      }
    }
    let first = digest()
    expectTrue(digest(at: 72) != first)
    for index in words.indices {
      let old = words[index]
      words[index] ^= 1
      expectEqual(digest() == first, index * 8 >= byteCount, "word \(index) of \(byteCount) bytes")
      words[index] = old
    }
  }

  /// Digests are what the format says: of so many words at 4,096, computed by another program.
  @Test(
    arguments: [
      (1, 0x1F70_8E4F_6D58_C54B),
      (2, 0xF62D_3992_EC91_3F20),
      (9, 0xAB54_48B5_89F3_DE33),
      (10, 0x12D0_E4DB_86C2_0ACD),
      (20, 0x8599_BB8A_A085_94C5),
      (33, 0xE642_F40C_C0C2_4648),
    ] as [(Int, UInt64)])
  func digestsDoNotChange(_ count: Int, _ expected: UInt64) {
    let words = (0..<UInt64(count)).map { ($0 + 1) &* 0x0123_4567_89AB_CDEF }
    expectEqual(words.withUnsafeBytes { CommitRecord.digest(of: $0, at: 4_096) }, expected)
  }

  /// Pieces lie in the file behind its header, and have up to a mebibyte.
  @Test func piecesLieInTheFile() {
    let most = CommitRecord.byteCountMax
    let words = [UInt64](repeating: 7, count: most / 8 + 16)
    words.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      let space = NodeSpace(base: base, fileEnd: bytes.count)
      func isWhole(_ position: Int, _ byteCount: Int, wrong: UInt64 = 0) -> Bool {
        let isReadable =
          position >= 0 && position & 7 == 0 && byteCount >= 0 && byteCount & 7 == 0
          && position + byteCount <= bytes.count
        let piece = UnsafeRawBufferPointer(
          start: base + (isReadable ? position : 0), count: isReadable ? byteCount : 0)
        let digest = CommitRecord.digest(of: piece, at: max(position, 0)) ^ wrong
        return record([
          CommitRecord.Piece(position: position, byteCount: byteCount, digest: digest)
        ]).isWhole(in: space)
      }
      for (position, byteCount) in [
        (24, 8), (24, most), (32, most), (bytes.count - 8, 8), (bytes.count - most, most),
      ] {
        expectTrue(isWhole(position, byteCount), "\(position), \(byteCount)")
        expectFalse(isWhole(position, byteCount, wrong: 1))
      }
      for (position, byteCount) in [
        (16, 8), (0, 8), (-8, 8), (24, 0), (24, -8), (24, most + 8), (bytes.count, 8),
        (bytes.count - 8, 16), (bytes.count, 0), (28, 8), (24, 12),
      ] {
        expectFalse(isWhole(position, byteCount), "\(position), \(byteCount)")
      }
    }
  }

  /// A version is found by a chain of so many records, and no more.
  /// `CommitRecovery` 2.
  @Test(arguments: [(1, true), (64, true), (65, false)]) func recordsProveEachOther(
    count: Int, isFound: Bool
  ) {
    let step = 96 + CommitRecord.byteCount(pieceCount: 0)
    let fileEnd = 64 + count * step
    var words = [UInt64](repeating: 0, count: fileEnd / 8)
    for index in 0..<count {
      let place = 64 + index * step
      var top = TopArray()
      top.roots = VersionRoots(tableNames: Ref(24), tables: Ref(32))
      top.logicalSize = fileEnd
      top.version = UInt64(index + 2)
      words[place / 8] = NodeHeader(flags: .hasRefs, layout: .bits, widthCode: 7, count: 11).bits
      for (slot, value) in top.slots.enumerated() {
        words[place / 8 + 1 + slot] = UInt64(bitPattern: value)
      }
      let record = CommitRecord(
        version: top.version, topRef: Ref(place), baseRef: Ref(index == 0 ? 24 : place - step),
        pieces: [])
      for (number, word) in record.words.enumerated() { words[place / 8 + 12 + number] = word }
    }
    let header = FileHeader.blank.naming(Ref(24), inSlot: 0)
      .naming(Ref(fileEnd - step), inSlot: 1)
    words.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      let recovery = CommitRecovery(
        header, in: NodeSpace(base: base, fileEnd: fileEnd),
        after: VersionEntry(version: 1, topRef: Ref(24), logicalSize: 64))
      expectEqual(recovery?.entry.version, isFound ? UInt64(count + 1) : nil)
    }
  }
}
