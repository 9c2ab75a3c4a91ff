// SPDX-License-Identifier: Apache-2.0

// The position of a string or binary among the payload bytes of a changeset.

/// A range of the payload bytes of one changeset.
///
/// Instructions refer to strings and binaries by such ranges, so an instruction is copied without
/// counting a reference.
package struct ByteRange: Hashable, Sendable {
  package var offset: Int
  package var count: Int

  package init(offset: Int, count: Int) {
    self.offset = offset
    self.count = count
  }

  /// The range as indices of the payload bytes.
  package var indices: Range<Int> { offset..<offset + count }
}
