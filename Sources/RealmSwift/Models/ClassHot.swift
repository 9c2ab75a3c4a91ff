// SPDX-License-Identifier: Apache-2.0

// The few words of a class that every property access of a managed object reads.
//
// Invariants:
// 1. A `ClassHot` belongs to one class of one `RealmCore` and lives as long as the core. An object
//    holds its core strongly, so its pointers are valid.
// 2. The leaves are those of the cluster at `loopCluster`, in the version that the session shows at
//    `loopGeneration`, or showed then: the rows of a version stay where they are.
// 3. A frozen realm, which many threads read, has no `loopCluster`, and no loop notes a cluster of
//    a transaction, whose leaves change.

public import RealmSession
public import RealmTables

/// The state that all objects of one class of one realm share and that accessors read.
@frozen @usableFromInline
@safe
struct ClassHot {
  @usableFromInline let state: UnsafeMutablePointer<SessionState>
  /// The column of the wrapper at byte `8 * i` of an object, for each such wrapper.
  @usableFromInline let columnAtOffset: UnsafeMutablePointer<_ColumnSlot>
  /// The cluster that a loop over objects of the class has come to; nil before the first loop.
  @usableFromInline var loopCluster: UnsafeRawPointer?
  @usableFromInline var loopGeneration: UInt64 = 0
  /// By property, its leaf in that cluster; nil before the first loop.
  @usableFromInline var loopLeaves: UnsafeMutablePointer<LoopLeaf>?
  /// The class, for everything that is not hot.
  var info: Unmanaged<ClassInfo>?
}
