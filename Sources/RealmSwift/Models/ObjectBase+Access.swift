// SPDX-License-Identifier: Apache-2.0

// The slow path of accessors from a managed object to its row.

import RealmSession
import RealmTables

extension ObjectBase {
  /// The message for changes of a frozen object.
  static var frozenText: String {
    "Attempting to modify a frozen object - call thaw on the Object instance first."
  }

  /// Makes the row current, after checking that the caller may read.
  ///
  /// - Returns: False if the object has no row: it only records key paths, or was lost with damaged
  ///   bytes.
  @usableFromInline @inline(never)
  final func _prepareToRead() -> Bool {
    guard let info = unsafe _hot?.pointee.info?.takeUnretainedValue() else { return false }
    unsafe info.core.checkIsolation()
    return exists(in: info)
  }

  /// Checks that the caller may set the property at `offset`, and makes the row current.
  ///
  /// - Returns: `refused` for the primary key, as the message needs the value.
  @usableFromInline @inline(never)
  final func _prepareToWrite(_ offset: UInt) -> _ColumnSlot {
    guard let hot = unsafe _hot?.pointee, let info = unsafe hot.info?.takeUnretainedValue() else {
      throwRealmException("An object that records a key path cannot be changed.")
    }
    unsafe info.core.checkIsolation()
    _ = exists(in: info)
    if unsafe info.core.isFrozen { throwRealmException(ObjectBase.frozenText) }
    unsafe info.core.requireWrite(
      orElse: "Attempting to modify object outside of a write transaction - call beginWrite() "
        + "on the Realm first. Set properties of '\(info.schema.className)' in "
        + "'realm.write { … }'.")
    let slot = unsafe hot.columnAtOffset[Int(bitPattern: offset >> 3)]
    if info.steps[Int(slot.property)].isPrimaryKey, unsafe !info.core.admitsPrimaryKey(of: info) {
      return .refused
    }
    return slot
  }

  /// Traps because `value` was assigned to the primary key of a managed object.
  @usableFromInline @inline(never)
  final func _refusePrimaryKey(_ value: Any) -> Never {
    let text = unwrapped(value).map { "\($0)" } ?? "(null)"
    throwRealmException(
      "Primary key can't be changed to '\(text)' after an object is inserted. Create a "
        + "'\(_schema.className)' with that key instead.")
  }

  /// The collection that the property had before the object became managed, which continues to
  /// represent it; nil if there is none.
  final func _kept<Value: _Persistable & AnyObject>(
    _ type: Value.Type, _ info: ClassInfo, _ slot: _ColumnSlot
  ) -> Value? {
    let step = info.steps[Int(slot.property)]
    // Dynamic objects have no wrappers, and fields without `@Persisted` are collections themselves.
    if info.schema.isDynamic || info.hasLegacyFields && step.wrapperType != Persisted<Value>.self {
      return nil
    }
    // The value follows the flags in the wrapper. Read like this, no type is looked up at run time.
    let address =
      unsafe Unmanaged.passUnretained(self).toOpaque() + step.offset
      + MemoryLayout<PersistedFlags>.size
    return unsafe address.assumingMemoryBound(to: Value?.self).pointee
  }

  /// Makes the row current; false if the object was deleted or its realm invalidated.
  final func _locate(_ info: ClassInfo) -> Bool {
    let generation = unsafe info.core.state.pointee.generation
    if unsafe _generation == generation { return true }
    guard unsafe _generation >= info.core.firstValidGeneration else { return false }
    guard let row = unsafe info.present(_key) else { return false }
    unsafe assert(!info.core.isFrozen, "`ObjectBase` 2: a frozen object's row is known at once")
    unsafe _row = row
    unsafe _generation = unsafe info.core.state.pointee.generation
    return true
  }

  /// The class of a managed object in its realm; nil for others.
  final var _info: ClassInfo? { unsafe _hot?.pointee.info?.takeUnretainedValue() }

  /// Makes a new object, or one whose values were just stored, represent the object `key`.
  @inline(__always)
  final func _attach(_ info: ClassInfo, _ key: ObjectKey, _ row: Row?) {
    unsafe assert(_hot == nil, "`ObjectBase` 1: an object becomes managed once")
    unsafe _owner = unsafe info.core
    unsafe _key = key
    unsafe _row = row
    unsafe _generation =
      unsafe row == nil ? info.core.firstValidGeneration : info.core.state.pointee.generation
    unsafe _hot = unsafe info.hot
    if row == nil, unsafe info.core.isFrozen { _attachFrozen(info) }
    if info.marksManaged { _markManaged(info) }
  }

  /// Finds the row at once: reading a frozen object must not change it.
  @inline(never)
  private func _attachFrozen(_ info: ClassInfo) {
    unsafe _row = unsafe info.present(_key)
    unsafe _generation =
      unsafe _row == nil ? SessionState.noGeneration : info.core.state.pointee.generation
  }

  /// Sets a property of a managed object that `_prepareToWrite` has admitted.
  final func _set(_ value: _StoredValue, _ slot: _ColumnSlot) {
    guard let info = _info else { return }
    info.set(value.value, property: Int(slot.property), of: self)
  }
}
