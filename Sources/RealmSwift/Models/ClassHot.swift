// SPDX-License-Identifier: Apache-2.0

// The few words of a class that every property access of a managed object reads.
//
// Invariants:
// 1. A `ClassHot` belongs to one class of one `RealmCore` and lives as long as the core. An object
//    holds its core strongly, so its pointers are valid.

public import RealmSession

/// The state that all objects of one class of one realm share and that accessors read.
@frozen @usableFromInline
@safe
struct ClassHot {
  @usableFromInline let state: UnsafeMutablePointer<SessionState>
  /// The column of the wrapper at byte `8 * i` of an object, for each such wrapper.
  @usableFromInline let columnAtOffset: UnsafeMutablePointer<_ColumnSlot>
  /// The class, for everything that is not hot.
  var info: Unmanaged<ClassInfo>?
}
