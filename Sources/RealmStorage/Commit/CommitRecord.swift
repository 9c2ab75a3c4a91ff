// SPDX-License-Identifier: Apache-2.0

// The proof that all of a commit reached the disk.
//
// A commit with one sync is on the disk before the header selects it there. What a crash leaves of
// such a commit is known by its record: the bytes that it wrote, and digests of them. The record
// lies after the version's top array, in bytes that the version lists as free, so it is no part of
// the format, and readers that do not know it see nothing of it.
//
//     0   `OpRlmCmt`            8   version
//     16  its top ref           24  top ref of the version before
//     32  number of pieces
//     40  for each piece: position, number of bytes, digest
//         digest of the record up to here
//
// All numbers are 64-bit, least significant byte first.
//
// 1. The free block of a record has the version as its tag, and counts as written by the version
//    before, the start of a recovery: as long as this one can be read, or a crash may leave it
//    selected, the record is not overwritten (`FreeSpace` 2). Older versions do not keep it.
// 2. A record covers every byte that its commit wrote and that the version reaches.
// 3. A version is whole if its pieces are what the record says, and the version before is whole or
//    selected by the header. Nothing of these versions is overwritten meanwhile
//    (`SharedMemory.settled`).
// 4. Records of versions that were given up are void on the disk before others have their numbers.
//    A process may also have died with some that it wrote, or the system
//    (`SharedMemory.recorded`): the header names versions of their numbers only after a sync, and
//    another one follows before they are published. So no record that a version is found by is one
//    of the dead, but the dead's own version before others went on from its base.
// 5. Before a session writes anything, the header names no version that it has not found whole: a
//    record names its base by number and ref alone, which a version of the session may get.

/// What one commit wrote.
struct CommitRecord: Hashable, Sendable {
  /// Bytes that were written in one call.
  struct Piece: Hashable, Sendable {
    var position: Int
    var byteCount: Int
    var digest: UInt64
  }

  var version: UInt64
  var topRef: Ref
  /// The top array of the version that the commit started from.
  var baseRef: Ref
  var pieces: [Piece]

  /// ASCII `OpRlmCmt`.
  private static let magic: UInt64 = 0x746D_436D_6C52_704F
  private static let fixedWordCount = 6
  /// Commits that write more pieces have two syncs.
  static let pieceCountMax = 64
  /// Commits that write more have two syncs: the second one is not what they take long for.
  static let byteCountMax = 1 << 20

  /// The number of bytes that a record of so many pieces takes.
  static func byteCount(pieceCount: Int) -> Int { (fixedWordCount + 3 * pieceCount) * 8 }

  /// The record as it stands in the file.
  var words: [UInt64] {
    var words = [
      Self.magic, version, UInt64(topRef.offset), UInt64(baseRef.offset), UInt64(pieces.count),
    ]
    for piece in pieces {
      words += [UInt64(piece.position), UInt64(piece.byteCount), piece.digest]
    }
    words = words.map(\.littleEndian)
    let digest = unsafe words.withUnsafeBytes { unsafe Self.digest(of: $0, at: topRef.offset) }
    words.append(digest.littleEndian)
    return words
  }
}

extension CommitRecord {
  /// Reads the record of the version whose top array is at `topRef`; nil if there is none, or if a
  /// part of it is missing.
  init?(at topRef: Ref, in space: NodeSpace) {
    guard let top = try? space.node(at: topRef), TopArray.slotCounts.contains(top.count) else {
      return nil
    }
    let start = topRef.offset + top.header.nodeByteCount
    guard start <= space.fileEnd - Self.byteCount(pieceCount: 0) else { return nil }
    func word(_ index: Int) -> UInt64 {
      unsafe space.base.load(fromByteOffset: start + index * 8, as: UInt64.self).littleEndian
    }
    guard word(0) == Self.magic, word(2) == UInt64(topRef.offset), word(3) < UInt64(space.fileEnd),
      word(4) <= UInt64(Self.pieceCountMax)
    else { return nil }
    let count = Int(word(4))
    let byteCount = Self.byteCount(pieceCount: count)
    guard start <= space.fileEnd - byteCount else { return nil }
    let bytes = unsafe UnsafeRawBufferPointer(start: space.base + start, count: byteCount - 8)
    guard unsafe Self.digest(of: bytes, at: topRef.offset) == word(byteCount / 8 - 1) else {
      return nil
    }
    version = word(1)
    self.topRef = topRef
    baseRef = Ref(Int(word(3)))
    pieces = (0..<count).map { index in
      let first = Self.fixedWordCount - 1 + 3 * index
      return Piece(
        position: Int(truncatingIfNeeded: word(first)),
        byteCount: Int(truncatingIfNeeded: word(first + 1)), digest: word(first + 2))
    }
  }

  /// Whether all pieces are there as they were written.
  func isWhole(in space: NodeSpace) -> Bool {
    pieces.allSatisfy { piece in
      guard piece.position >= FileHeader.byteCount, piece.position & 7 == 0, piece.byteCount > 0,
        piece.byteCount & 7 == 0, piece.byteCount <= Self.byteCountMax,
        piece.position <= space.fileEnd - piece.byteCount
      else { return false }
      let bytes = unsafe UnsafeRawBufferPointer(
        start: space.base + piece.position, count: piece.byteCount)
      return unsafe Self.digest(of: bytes, at: piece.position) == piece.digest
    }
  }

  /// The digest of bytes at a position of the file.
  ///
  /// It detects sectors that did not arrive, and no intent: who can write the file can write
  /// records.
  ///
  /// - Parameter bytes: A multiple of 8 bytes.
  static func digest(of bytes: UnsafeRawBufferPointer, at position: Int) -> UInt64 {
    assert(bytes.count & 7 == 0, "nodes have whole words")
    guard let start = bytes.baseAddress else { return 0 }
    var last: UInt64 = 0
    if bytes.count > 0 {
      last = unsafe start.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self)
    }
    return unsafe WordDigest.value(
      of: start, byteCount: bytes.count, last: last.littleEndian, at: position,
      kind: UInt64(bytes.count))
  }
}
