// SPDX-License-Identifier: Apache-2.0

// Memory in which neighbours of the file stand side by side before they are written in one call.

/// Collects bytes for consecutive places of the file.
struct StagedRun {
  /// Kept from commit to commit.
  @safe
  final class Buffer {
    static let byteCount = 1 << 20
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 16)

    deinit { unsafe bytes.deallocate() }
  }

  private let buffer: Buffer
  private let file: any StorageFile
  private var position = 0
  private var count = 0
  /// How many of the staged bytes are in `pieces`.
  private var noted = 0
  /// What was written since the start of the commit, if that is to be recorded.
  private(set) var pieces: [CommitRecord.Piece]?

  init(_ buffer: Buffer, _ file: any StorageFile, isRecorded: Bool) {
    self.buffer = buffer
    self.file = file
    pieces = isRecorded ? [] : nil
  }

  /// Memory for the bytes at `position`; a gap makes the staged bytes be written first. At most
  /// `Buffer.byteCount` bytes.
  mutating func stage(
    _ byteCount: Int, at position: Int
  ) throws(StorageError) -> UnsafeMutableRawPointer {
    if position != self.position + count || count + byteCount > Buffer.byteCount {
      try flush()
      self.position = position
    }
    assert(count + byteCount <= Buffer.byteCount, "more is staged than the buffer holds")
    let target = unsafe buffer.bytes + count
    count += byteCount
    return unsafe target
  }

  /// Records what is staged as one piece, and nothing of what follows.
  mutating func endPieces() -> [CommitRecord.Piece] {
    notePiece()
    defer { pieces = nil }
    return pieces ?? []
  }

  private mutating func notePiece() {
    guard pieces != nil, noted < count else { return }
    let bytes = unsafe UnsafeRawBufferPointer(start: buffer.bytes + noted, count: count - noted)
    let start = position + noted
    pieces?.append(
      CommitRecord.Piece(
        position: start, byteCount: bytes.count,
        digest: unsafe CommitRecord.digest(of: bytes, at: start)))
    noted = count
  }

  /// Takes over what another run has staged, if that follows in the file and there is room: both
  /// are written in one call. No piece is recorded after that.
  mutating func take(_ next: inout StagedRun) {
    guard count > 0, next.count > 0, position + count == next.position,
      count + next.count <= Buffer.byteCount
    else { return }
    unsafe (buffer.bytes + count).copyMemory(from: next.buffer.bytes, byteCount: next.count)
    count += next.count
    next.count = 0
    next.noted = 0
    pieces = nil
    next.pieces = nil
  }

  /// Writes what is staged.
  mutating func flush() throws(StorageError) {
    guard count > 0 else { return }
    notePiece()
    noted = 0
    let bytes = unsafe UnsafeRawBufferPointer(start: buffer.bytes, count: count)
    count = 0
    try unsafe file.write(bytes, at: position)
  }
}
