// SPDX-License-Identifier: Apache-2.0

// Compaction in small steps, beside readers and other writers (`Evacuation`).

/// A part of a compaction that one commit does.
package struct CompactionStep: Hashable, Sendable {
  /// The bytes of nodes that are moved at most, but for the last node.
  package var byteCount: Int
  /// Whether nothing is left to be gained, as far as the commit could see. Also true if a reader of
  /// an older version needs what could be gained.
  package internal(set) var isDone = true

  package init(byteCount: Int) { self.byteCount = byteCount }
}

/// The attempts of a compaction that goes on in steps.
struct CompactionState: Sendable {
  /// The end of the file is emptied if the file is not longer than this.
  var shrinkingFrom = Int.max
  /// Windows are emptied if the file is not longer than this.
  var gatheringFrom = Int.max
  /// The free bytes that could not be returned to the file system when it ended; nil until then.
  var leftByteCount: Int?
}
