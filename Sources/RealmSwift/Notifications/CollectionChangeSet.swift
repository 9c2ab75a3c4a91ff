// SPDX-License-Identifier: Apache-2.0

// What happened to an observed collection, as indexes.

/// The indexes of the elements that went, came and changed.
///
/// Invariants:
/// 1. Each list is ascending and without repetition.
/// 2. `deletions` and `modifications` are indexes of the old collection and have none in common;
///    `insertions` are indexes of the new one. Deleting, then inserting, makes the new from the old.
struct CollectionChangeSet: Equatable, Sendable {
  var deletions: [Int] = []
  var insertions: [Int] = []
  var modifications: [Int] = []

  var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }
}
