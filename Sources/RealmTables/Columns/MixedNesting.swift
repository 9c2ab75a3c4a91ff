// SPDX-License-Identifier: Apache-2.0

// An end for walks over collections in mixed values.

package import RealmStorage

/// Counts the collections in each other that a walk over a mixed value comes to.
///
/// Each has a root of its own. In a damaged or hostile file the same may be come to again and
/// again, in the file's part of the space alone: what a transaction has made has one owner.
package struct MixedNesting {
  private let space: NodeSpace
  private let depthMax: Int
  private var left: Int
  private var depth = 0

  package init(in space: NodeSpace, depthMax: Int = MixedCodec.maximumDepth) {
    self.space = space
    self.depthMax = depthMax
    left = space.fileEnd / NodeHeader.byteCount
  }

  /// Notes that the walk comes to a collection.
  package mutating func enter(_ root: Ref) throws(StorageError) {
    if !root.isNull, !space.isWritable(root) { left -= 1 }
    guard depth < depthMax, left >= 0 else {
      throw .corrupted("nested collections do not end")
    }
    depth += 1
  }

  /// Notes that the walk comes back from a collection.
  package mutating func leave() { depth -= 1 }
}
