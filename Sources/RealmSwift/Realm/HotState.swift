// SPDX-License-Identifier: Apache-2.0

// The few words that every property access of a managed object looks at.
//
// Invariants:
// 1. A `HotState` belongs to one `RealmCore`, a `ClassHot` to one class of one core; both live as
//    long as the core. An object holds its core strongly, so its pointers are valid.
// 2. `generation` changes whenever a row that was found before may have moved or vanished: the
//    realm advances, a transaction begins, ends or copies a cluster, the realm is invalidated. It
//    never repeats. A row found at generation g is current if and only if the state says g.
// 3. `isolation` is the pointer of the thread that the realm is confined to; 0 and 1 match no
//    thread and send every access down a slower path: 0 asks the confinement, 1 lets every thread
//    in. A forked child finds 0: it is the first word, which `RealmCore` has cleared there.
// 4. The state of a frozen realm is written before anybody else can see it, and never after that.

/// What all classes of one realm share.
@frozen @usableFromInline
struct HotState {
  /// The thread the realm is confined to, or 0, or `anyThread`.
  @usableFromInline var isolation: UInt
  /// Changes whenever cached rows become stale; see invariant 2.
  @usableFromInline var generation: UInt64
  /// Whether a write transaction is open.
  @usableFromInline var isInWrite: Bool
  /// Where a thread says that it tracks accesses; see `TrackingPlace`.
  @usableFromInline let trackingPlace: Int

  /// The generation of objects that have no row: no state ever has it.
  static var noGeneration: UInt64 { 0 }

  /// The isolation of frozen realms. Thread pointers are aligned, so none is this.
  static var anyThread: UInt { 1 }
}

/// What all objects of one class of one realm share.
@frozen @usableFromInline
struct ClassHot {
  @usableFromInline let state: UnsafeMutablePointer<HotState>
  /// The column of the wrapper at byte `8 * i` of an object, for each such wrapper.
  @usableFromInline let columnAtOffset: UnsafeMutablePointer<_ColumnSlot>
  /// The class, for everything that is not hot.
  var info: Unmanaged<ClassInfo>?
}

/// Where the values of one property are: the leaf of its column, and the property's number.
@frozen
public struct _ColumnSlot: Sendable {
  @usableFromInline let leafIndex: Int32
  @usableFromInline let property: Int32

  @inlinable @inline(__always)
  var leaf: Int { Int(truncatingIfNeeded: leafIndex) }

  /// The slot of a property that cannot be set.
  @usableFromInline static let refused = _ColumnSlot(leafIndex: -1, property: -1)

  @inlinable @inline(__always)
  var isRefused: Bool { property < 0 }

  @inlinable
  init(leafIndex: Int32, property: Int32) {
    self.leafIndex = leafIndex
    self.property = property
  }
}
