// SPDX-License-Identifier: Apache-2.0

// Managed objects and collections as observables.

public import Observation
import RealmSession
import RealmTables

/// Code inside `withObservationTracking` that reads properties of managed objects is told of the
/// next change of one of them, by this realm, another one, another thread or another process.
///
/// The change is told where the realm lives, when the realm shows it: at the end of a commit of its
/// own, or when it moves to a version that others have made. A list counts as changed when elements
/// came, went or moved, an object's `isInvalidated` when it was deleted. Objects that no realm
/// manages and frozen ones are not tracked.
extension ObjectBase: Observable {}

/// The elements are tracked: code inside `withObservationTracking` is told when some may have come,
/// gone or moved. Properties of the elements are tracked as those of other objects.
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
  /// Makes the row current as `_prepareToRead()` does, and notes the read of the property whose
  /// wrapper is at `offset` if the caller tracks.
  @usableFromInline @inline(never)
  final func _prepareToRead(_ offset: UInt) -> Bool {
    guard _prepareToRead() else { return false }
    if let info = _info, info.core.isTracking {
      let slot = info.hot.pointee.columnAtOffset[Int(bitPattern: offset >> 3)]
      noteRead(info, property: Int(slot.property))
    }
    return true
  }

  /// Notes the read of a property.
  final func noteRead(_ info: ClassInfo, property: Int) {
    // Backlinks, which have no column, are noted as collections.
    guard let column = info.columns[property] else { return }
    note(info, column.key)
  }

  /// Notes that somebody asked whether the object exists.
  final func noteExistence(_ info: ClassInfo) { note(info, AccessTracker.existence) }

  private func note(_ info: ClassInfo, _ column: ColumnKey) {
    info.core.observers?.tracker.noteProperty(
      column, of: _key, in: info.tableKey, at: info.core.shownTables)
  }
}
