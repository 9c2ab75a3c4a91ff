// SPDX-License-Identifier: Apache-2.0

// Conformances of managed objects and collections to `Observable`, and the tracking of their reads.

public import Observation
import RealmSession
import RealmTables

/// Managed objects are tracked: code inside `withObservationTracking` that reads their properties
/// is notified of the next change of one of them, by this realm, another one, another thread or
/// another process.
///
/// The notification comes where the realm lives, when the realm shows the change: at the end of a
/// commit of its own, or when it advances to a version that others have made. A list counts as
/// changed when elements were inserted, deleted or moved, an object's `isInvalidated` when it was
/// deleted. Objects that no realm manages and frozen ones are not tracked.
extension ObjectBase: Observable {}

/// The elements are tracked: code inside `withObservationTracking` is notified when some may have
/// been inserted, deleted or moved. Properties of the elements are tracked as those of other
/// objects.
extension Results: Observable {}

/// The elements are tracked as those of `Results`.
extension List: Observable {}

/// The elements are tracked as those of `Results`.
extension MutableSet: Observable {}

/// The entries are tracked as the elements of `Results`.
extension Map: Observable {}

/// The elements are tracked as those of `Results`.
extension LinkingObjects: Observable {}

extension ObjectBase {
  /// Makes the row current as `_prepareToRead()` does, and records the read of the property whose
  /// wrapper is at `offset` if the caller tracks.
  @usableFromInline @inline(never)
  final func _prepareToRead(_ offset: UInt) -> Bool {
    guard _prepareToRead() else { return false }
    if let info = _info, unsafe info.core.isTracking {
      let slot = unsafe info.hot.pointee.columnAtOffset[Int(bitPattern: offset >> 3)]
      noteRead(info, property: Int(slot.property))
    }
    return true
  }

  final func noteRead(_ info: ClassInfo, property: Int) {
    // Backlinks, which have no column, are recorded as collections.
    guard let column = info.columns[property] else { return }
    note(info, column.key)
  }

  /// Records that the existence of the object was read.
  final func noteExistence(_ info: ClassInfo) { note(info, AccessTracker.existence) }

  private func note(_ info: ClassInfo, _ column: ColumnKey) {
    unsafe info.core.observers?.tracker.noteProperty(
      column, of: _key, in: info.tableKey, at: info.core.shownTables)
  }
}
