// SPDX-License-Identifier: Apache-2.0

// The position of a path's elements among the path elements of a changeset.

/// A range of the path elements of one changeset. No two instructions share elements, as merging
/// changes the indices of each on its own.
package struct ElementRange: Hashable, Sendable {
  package var start: UInt32
  package var count: UInt32

  package init(start: UInt32, count: UInt32) {
    self.start = start
    self.count = count
  }

  /// The path of a property itself.
  package static let none = ElementRange(start: 0, count: 0)

  package var isEmpty: Bool { count == 0 }

  /// The range as indices of the path elements.
  package var indices: Range<Int> { Int(start)..<Int(start) + Int(count) }
}
