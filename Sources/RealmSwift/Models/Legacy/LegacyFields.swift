// SPDX-License-Identifier: Apache-2.0

// Fields that declare properties without `@Persisted`: `let dogs = List<Dog>()` and the like.
//
// Reading such a field calls no code, so the object that it holds is bound to the property as soon
// as its owner becomes managed. The field itself never changes.

import RealmSession
import RealmTables

/// Types whose fields are properties without a wrapper.
protocol LegacyGeneric: SendableMetatype {
  /// The untyped interface of such fields.
  static var legacyWrapper: any LegacyWrapper.Type { get }
}

/// The storage of lazy fields of such types.
protocol LegacyLazy: SendableMetatype {}

extension Optional: LegacyLazy where Wrapped: LegacyGeneric {}

/// A field without a wrapper.
protocol LegacyWrapper: AnyPersisted {
  associatedtype Value: _Persistable

  /// Makes the object in the field represent the property of the object `key`.
  static func adopt(
    at address: UnsafeMutableRawPointer, _ info: ClassInfo, _ key: ObjectKey, _ slot: _ColumnSlot)

  /// Makes the object in the field of a recording object report its use to `recording`; nil ends
  /// this, so that the two do not retain each other.
  static func record(at address: UnsafeMutableRawPointer, _ recording: _Recording?)
}

extension LegacyWrapper {
  static var isLegacy: Bool { true }
  static func flags(at address: UnsafeRawPointer) -> PersistedFlags { [] }
  static func originProperty(at address: UnsafeRawPointer) -> String? { nil }
  // Nothing tells values of the declaration from others.
  static func isAssigned(at address: UnsafeRawPointer) -> Bool { true }

  static var valueType: any _Persistable.Type { Value.self }

  static func managedValue(_ object: ObjectBase, _ slot: _ColumnSlot) -> Any {
    Value._load(object, slot)
  }

  static func setManagedValue(_ value: Any, _ object: ObjectBase, _ slot: _ColumnSlot) -> Bool {
    guard let converted = Value._convert(value) else { return false }
    Value._store(converted, object, slot)
    return true
  }

  static func storedScalar(_ value: Any) -> _StoredValue? { nil }

  static func storedUnmanaged(at address: UnsafeMutableRawPointer) -> _StoredValue? { nil }

  static func accepts(_ value: Any) -> Bool { Value._convert(value) != nil }
}

extension ObjectBase {
  /// Makes the fields without wrappers represent the properties of the object in its realm.
  final func _adoptLegacyFields(_ info: ClassInfo) {
    let address = unsafe Unmanaged.passUnretained(self).toOpaque()
    for property in info.schema.properties {
      guard let wrapper = property.wrapperType as? any LegacyWrapper.Type else { continue }
      unsafe wrapper.adopt(at: address + property.offset, info, _key, info.slot(property))
    }
  }

  /// Makes the fields without wrappers of an object that records key paths report their use to its
  /// recorder, or stops that.
  final func _recordLegacyFields(_ isRecording: Bool) {
    let address = unsafe Unmanaged.passUnretained(self).toOpaque()
    for property in ModelSchema.of(type(of: self)).properties {
      guard let wrapper = property.wrapperType as? any LegacyWrapper.Type else { continue }
      let recording = _Recording(self, UInt(property.offset))
      unsafe wrapper.record(at: address + property.offset, isRecording ? recording : nil)
    }
  }
}

// MARK: - Collections

/// A collection that can be bound to a property.
protocol LegacyCollection: AnyObject, _Persistable {
  func becomeManaged(_ collection: ManagedCollection)

  /// Makes the collection part of an object that records key paths, or ends the recording if nil.
  func becomeRecording(_ recording: _Recording?)

  /// Replaces the elements by those of `other`.
  func assign(_ other: Self)
}

/// A field of a collection type.
enum LegacyCollectionField<Value: LegacyCollection>: LegacyWrapper {
  private static func value(at address: UnsafeMutableRawPointer) -> Value {
    unsafe address.assumingMemoryBound(to: Value.self).pointee
  }

  static func unmanagedValue(at address: UnsafeMutableRawPointer) -> Any {
    unsafe value(at: address)
  }

  static func setUnmanagedValue(_ value: Any, at address: UnsafeMutableRawPointer) -> Bool {
    guard let converted = Value._convert(value) else { return false }
    let present = unsafe self.value(at: address)
    if present !== converted { present.assign(converted) }
    return true
  }

  static func persist(
    from address: UnsafeMutableRawPointer, _ object: ObjectBase, _ slot: _ColumnSlot,
    isFresh: Bool
  ) {
    unsafe Value._store(value(at: address), object, slot)
  }

  static func adopt(
    at address: UnsafeMutableRawPointer, _ info: ClassInfo, _ key: ObjectKey, _ slot: _ColumnSlot
  ) {
    unsafe value(at: address).becomeManaged(ManagedCollection(key, info, slot))
  }

  static func record(at address: UnsafeMutableRawPointer, _ recording: _Recording?) {
    let collection = unsafe value(at: address)
    collection.becomeRecording(recording)
    recording?.recorder.add(collection, recording)
  }
}

extension List: LegacyGeneric, LegacyCollection {
  static var legacyWrapper: any LegacyWrapper.Type { LegacyCollectionField<List>.self }

  func assign(_ other: List) {
    removeAll()
    append(objectsIn: other)
  }
}

extension MutableSet: LegacyGeneric, LegacyCollection {
  static var legacyWrapper: any LegacyWrapper.Type { LegacyCollectionField<MutableSet>.self }

  func assign(_ other: MutableSet) {
    removeAll()
    insert(objectsIn: other)
  }
}

extension Map: LegacyGeneric, LegacyCollection {
  static var legacyWrapper: any LegacyWrapper.Type { LegacyCollectionField<Map>.self }

  func assign(_ other: Map) {
    removeAll()
    for entry in other { updateValue(entry.value, forKey: entry.key) }
  }
}

// MARK: - Single values

/// An object that holds the value of one property.
protocol LegacyHolder: AnyObject {
  associatedtype Held: _Persistable
  var cell: LegacyCell<Held> { get }
}

/// A field of type `RealmProperty` or `RealmOptional`.
enum LegacyPropertyField<Holder: LegacyHolder>: LegacyWrapper {
  typealias Value = Holder.Held

  private static func cell(at address: UnsafeMutableRawPointer) -> LegacyCell<Value> {
    unsafe address.assumingMemoryBound(to: Holder.self).pointee.cell
  }

  static func unmanagedValue(at address: UnsafeMutableRawPointer) -> Any {
    unsafe cell(at: address).value
  }

  static func setUnmanagedValue(_ value: Any, at address: UnsafeMutableRawPointer) -> Bool {
    guard let converted = Value._convert(value) else { return false }
    unsafe cell(at: address).value = converted
    return true
  }

  static func storedScalar(_ value: Any) -> _StoredValue? { Value._storedScalar(value) }

  static func storedUnmanaged(at address: UnsafeMutableRawPointer) -> _StoredValue? {
    unsafe Value._storedScalar(cell(at: address).value)
  }

  static func persist(
    from address: UnsafeMutableRawPointer, _ object: ObjectBase, _ slot: _ColumnSlot,
    isFresh: Bool
  ) {
    unsafe Value._store(cell(at: address).value, object, slot)
  }

  static func adopt(
    at address: UnsafeMutableRawPointer, _ info: ClassInfo, _ key: ObjectKey, _ slot: _ColumnSlot
  ) {
    unsafe cell(at: address).adopt(info, key, slot)
  }

  static func record(at address: UnsafeMutableRawPointer, _ recording: _Recording?) {
    unsafe cell(at: address).becomeRecording(recording)
    unsafe recording?.recorder.add(address.assumingMemoryBound(to: Holder.self).pointee, recording)
  }
}

extension RealmProperty: LegacyGeneric, LegacyHolder {
  static var legacyWrapper: any LegacyWrapper.Type { LegacyPropertyField<RealmProperty>.self }
}

@available(*, deprecated)
extension RealmOptional: LegacyGeneric, LegacyHolder {
  static var legacyWrapper: any LegacyWrapper.Type { LegacyPropertyField<RealmOptional>.self }
}

// MARK: - Backlinks

/// A field of type `LinkingObjects`.
enum LegacyBacklinksField<Element: ObjectBase & RealmCollectionValue>: LegacyWrapper {
  typealias Value = LinkingObjects<Element>

  private static func value(at address: UnsafeRawPointer) -> Value {
    unsafe address.assumingMemoryBound(to: Value.self).pointee
  }

  static func originProperty(at address: UnsafeRawPointer) -> String? {
    unsafe value(at: address)._originProperty
  }

  static func unmanagedValue(at address: UnsafeMutableRawPointer) -> Any {
    unsafe value(at: address)
  }
  static func setUnmanagedValue(_ value: Any, at address: UnsafeMutableRawPointer) -> Bool { false }

  static func setManagedValue(_ value: Any, _ object: ObjectBase, _ slot: _ColumnSlot) -> Bool {
    throwRealmException("LinkingObjects properties are read-only")
  }

  static func accepts(_ value: Any) -> Bool { false }

  static func persist(
    from address: UnsafeMutableRawPointer, _ object: ObjectBase, _ slot: _ColumnSlot,
    isFresh: Bool
  ) {}

  static func adopt(
    at address: UnsafeMutableRawPointer, _ info: ClassInfo, _ key: ObjectKey, _ slot: _ColumnSlot
  ) {
    unsafe value(at: address).adopt(info, key, slot)
  }

  static func record(at address: UnsafeMutableRawPointer, _ recording: _Recording?) {
    if let declaration = unsafe value(at: address)._declaration {
      recording?.recorder.add(declaration, recording)
    }
  }
}

extension LinkingObjects: LegacyGeneric {
  static var legacyWrapper: any LegacyWrapper.Type { LegacyBacklinksField<Element>.self }
}
