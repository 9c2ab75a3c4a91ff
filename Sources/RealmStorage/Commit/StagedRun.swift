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

  init(_ buffer: Buffer, _ file: any StorageFile) {
    self.buffer = buffer
    self.file = file
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

  /// Writes what is staged.
  mutating func flush() throws(StorageError) {
    guard count > 0 else { return }
    let bytes = unsafe UnsafeRawBufferPointer(start: buffer.bytes, count: count)
    count = 0
    try unsafe file.write(bytes, at: position)
  }
}
