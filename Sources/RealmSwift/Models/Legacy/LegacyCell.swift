// SPDX-License-Identifier: Apache-2.0

// The storage of `RealmProperty` and `RealmOptional`: a value of their own, or a property of a
// managed object.

import RealmTables

/// The value of a property that is declared by an object of its own.
final class LegacyCell<Value: _Persistable> {
  /// The value while the object belongs to no realm.
  private var unmanaged: Value
  /// Represents the managed object. An accessor of its own, since the object owns this cell.
  private var accessor: ObjectBase?
  private var slot = _ColumnSlot(leafIndex: 0, property: -1)
  /// The offset of the property's declaration in the object.
  private var offset: UInt = 0
  /// The object and property that the cell of a recording object represents.
  private var recording: _Recording?

  init(_ value: Value) { unmanaged = value }

  var value: Value {
    get {
      guard let accessor else {
        return recording.map { Value._traced(by: $0) } ?? unmanaged
      }
      return accessor._prepareToRead(offset)
        ? Value._load(accessor, slot) : Value.placeholder(accessor, slot)
    }
    set {
      guard let accessor else { return unmanaged = newValue }
      Value._store(newValue, accessor, accessor._prepareToWrite(offset))
    }
  }

  /// Makes the cell part of an object that records key paths, or ends the recording if nil.
  func becomeRecording(_ recording: _Recording?) { self.recording = recording }

  /// Makes the cell represent a property of the object `key`.
  func adopt(_ info: ClassInfo, _ key: ObjectKey, _ slot: _ColumnSlot) {
    guard accessor == nil else { return }
    let accessor = ObjectBase()
    accessor._attach(info, key, nil)
    self.slot = slot
    offset = UInt(info.schema.properties[Int(slot.property)].offset)
    self.accessor = accessor
  }
}
