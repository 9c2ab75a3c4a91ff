// SPDX-License-Identifier: Apache-2.0

// Hints that a node is about to be read.

public import CRealmPlatform

extension NodeSpace {
  /// No more than this is asked for at once: a processor has few places for lines it waits for, and
  /// when they are taken it stands still.
  @inlinable package static var prefetchedLineCount: Int { 33 }

  /// Asks for several lines of memory from `address` on, which need not be valid.
  @inlinable @inline(__always)
  package static func prefetch(_ address: UnsafeRawPointer, lines: Int) {
    unsafe realm_prefetch_lines(address, lines)
  }

  /// Prefetches the header of a node and the bytes right after it.
  @inlinable @inline(__always)
  package func prefetchHeader(at ref: Ref) {
    guard ref.offset >= 0, ref.offset < prefetchBound else { return }
    unsafe realm_prefetch(base + ref.offset)
  }
}
