// SPDX-License-Identifier: Apache-2.0

// A part of the file that the newest version does not use.

/// A run of unused bytes of the file.
struct FreeBlock: Hashable, Sendable {
  var position: Int
  var byteCount: Int
  /// The version whose commit freed the block; 0 once every reader is past it; `heldTag` if in
  /// addition the region around it is being evacuated.
  var tag: UInt64
  /// The version that wrote what was there; 0 if it is not known, or does not matter any more.
  var writtenVersion: UInt64 = 0

  var end: Int { position + byteCount }
  /// Whether the block may be allocated.
  var isUsable: Bool { tag == 0 }
  /// Whether no reader needs the block, and no commit may allocate it yet (`Evacuation`).
  var isHeld: Bool { tag == Self.heldTag }

  /// The tag of held blocks. It is never written to a file: there they are plain free space.
  static let heldTag = UInt64.max

  /// Takes in a block that follows and is usable by the same readers. False if it does not or is
  /// not.
  mutating func absorb(_ next: FreeBlock) -> Bool {
    guard end == next.position, tag == next.tag, writtenVersion == next.writtenVersion
    else { return false }
    assert(next.byteCount > 0, "`FreeBlockList` 1: no block is empty")
    byteCount += next.byteCount
    return true
  }
}
