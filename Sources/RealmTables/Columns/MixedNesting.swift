// SPDX-License-Identifier: Apache-2.0

// An end for walks over collections in mixed values.

package import RealmStorage

/// Counts the collections in each other that a walk over a mixed value comes to.
///
/// Each has nodes of its own: one, and one more for as many elements as a leaf holds. In a damaged
/// or hostile file the same may be come to again and again, in the file's part of the space alone:
/// what a transaction has made has one owner.
package struct MixedNesting {
  private let space: NodeSpace
  private let depthMax: Int
  /// The nodes that the walk may still come to.
  private var left: Int
  private var depth = 0

  package init(in space: NodeSpace, depthMax: Int = MixedCodec.maximumDepth) {
    self.space = space
    self.depthMax = depthMax
    left = Self.nodeCountMax(in: space)
  }

  /// The nodes that a walk over all collections of a file comes to at most.
  package static func nodeCountMax(in space: NodeSpace) -> Int {
    space.fileEnd / NodeHeader.byteCount
  }

  /// The nodes that the walk has come to.
  package var nodeCount: Int { Self.nodeCountMax(in: space) - left }

  /// Notes that the walk comes to a collection.
  ///
  /// - Parameter count: The elements that it comes to there.
  package mutating func enter(_ root: Ref, count: Int) throws(StorageError) {
    if !root.isNull, !space.isWritable(root) { left -= 1 + count / BTreeLimits.entryCount }
    guard depth < depthMax, left >= 0 else {
      throw .corrupted("nested collections do not end")
    }
    depth += 1
  }

  /// Notes that the walk comes back from a collection.
  package mutating func leave() { depth -= 1 }
}
