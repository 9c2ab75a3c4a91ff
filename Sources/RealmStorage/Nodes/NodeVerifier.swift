// SPDX-License-Identifier: Apache-2.0

// Compares the nodes of one version with their checksums, each when it is first reached.
//
// Invariants:
// 1. A node of the version never changes, so one that matched once matches for good. Threads that
//    compare the same node at once find the same.
// 2. Each place of the version has a bit.

import Synchronization

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Which nodes of a version were compared with their checksums.
@safe
final class NodeVerifier: @unchecked Sendable {
  // Sendable: the bits are atomic, all else is constant.

  /// The space of the version, which compares nothing.
  let plain: NodeSpace
  /// A bit for each place where a node can be. The system gives memory for those that are used.
  private let verified: UnsafeMutablePointer<Atomic<UInt64>>
  private let wordCount: Int

  /// The bytes of the file whose places have their bits in one word.
  private static let byteCountPerWord = 8 * 64

  /// - Throws: `StorageError.addressSpaceExhausted` if there is no memory for the bits, which are a
  ///   64th of the file.
  init(_ plain: NodeSpace, path: String) throws(StorageError) {
    self.plain = plain
    wordCount = plain.fileEnd / Self.byteCountPerWord + 1
    guard let memory = unsafe calloc(wordCount, MemoryLayout<UInt64>.size) else {
      throw .addressSpaceExhausted(path: path, byteCount: wordCount * 8)
    }
    // Zeros are an atomic zero.
    unsafe verified = memory.bindMemory(to: Atomic<UInt64>.self, capacity: wordCount)
  }

  deinit { unsafe free(verified) }

  /// The node at `ref`, which lies in the version and matches its checksum, or has none.
  func node(at ref: Ref) throws(StorageError) -> Node {
    let node = try plain.node(at: ref)
    let place = ref.offset / 8
    assert(place / 64 < wordCount, "`NodeVerifier` 2")
    let word = unsafe verified + place / 64
    let bit = UInt64(1) << UInt64(place % 64)
    if unsafe word.pointee.load(ordering: .relaxed) & bit != 0 { return node }
    guard unsafe NodeChecksum.state(of: node.address, node.header, at: ref.offset) != .different
    else { throw .corrupted("the node at \(ref.offset) does not match its checksum") }
    _ = unsafe word.pointee.bitwiseOr(bit, ordering: .relaxed)
    return node
  }
}
