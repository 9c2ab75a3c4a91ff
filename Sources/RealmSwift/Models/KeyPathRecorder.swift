// SPDX-License-Identifier: Apache-2.0

// Finds the name of a key path by reading it on an object that records which properties are read:
// key paths of wrapped properties have no names.
//
// Invariants:
// 1. A recording object's hot pointer is `KeyPathRecorder.hot`, whose state matches no thread and
//    no generation, so every accessor ends in the slow path with the wrapper's offset in hand.
// 2. A recorder and its objects live inside one call of `_name(for:)`.
// 3. Reading a field without `@Persisted` calls no code. The object that it holds knows its
//    recording, and records its name when it is first used, or when the key path ends at it.

import RealmSession

/// Collects the names of the properties that a key path visits.
final class KeyPathRecorder: SessionOwner {
  private(set) var names: [String] = []
  /// The objects in fields without `@Persisted` whose names are not recorded yet.
  private var fields: [ObjectIdentifier: _Recording] = [:]
  /// The objects whose fields have a recording.
  private var objectsWithFields: [ObjectBase] = []

  /// The hot state of recording objects, in place of that of a class of a realm.
  nonisolated(unsafe) static let hot = unsafe makeHot()
  // nonisolated(unsafe): written once, before any thread can see it.

  private static func makeHot() -> UnsafeMutablePointer<ClassHot> {
    let state = UnsafeMutablePointer<SessionState>.allocate(capacity: 1)
    unsafe state.initialize(
      to: SessionState(
        isolation: 0, generation: .max, isInWrite: false, trackingPlace: TrackingPlace.place))
    let hot = UnsafeMutablePointer<ClassHot>.allocate(capacity: 1)
    unsafe hot.initialize(
      to: ClassHot(
        state: state, columnAtOffset: UnsafeMutablePointer<_ColumnSlot>.allocate(capacity: 1),
        info: nil))
    return unsafe hot
  }

  /// An object of `modelClass` whose accessors append their names here.
  func makeObject<T: ObjectBase>(_ modelClass: T.Type) -> T {
    let object = modelClass.init()
    unsafe assert(object._hot == nil, "`ObjectBase` 1: the class's initializer made it managed")
    unsafe object._owner = self
    unsafe object._hot = unsafe KeyPathRecorder.hot
    if ModelSchema.of(modelClass).hasLegacyFields {
      object._recordLegacyFields(true)
      objectsWithFields.append(object)
    }
    return object
  }

  func record(_ name: String) { names.append(name) }

  /// Registers the object that a field without `@Persisted` holds.
  func add(_ held: AnyObject, _ recording: _Recording?) {
    fields[ObjectIdentifier(held)] = recording
  }

  /// Records the name of the field that holds `held`, unless that was done.
  func reach(_ held: AnyObject) {
    if let recording = fields.removeValue(forKey: ObjectIdentifier(held)) { _ = recording.record() }
  }

  /// The names that lead to `value`, joined by dots. Ends the recording.
  func path(to value: Any?) -> String {
    if let value { end(at: value) }
    fields = [:]
    for object in objectsWithFields { object._recordLegacyFields(false) }
    objectsWithFields = []
    return names.joined(separator: ".")
  }

  /// Records the name of the field that holds `value`, where a key path ends.
  private func end(at value: Any) {
    if fields.isEmpty { return }
    if let backlinks = value as? any LinkingObjectsProtocol {
      if let held = backlinks._declaration { reach(held) }
    } else if type(of: value) is AnyClass {
      reach(value as AnyObject)
    }
  }
}

/// The object, and the wrapper in it, that a key path is reading.
public struct _Recording {
  @usableFromInline let object: ObjectBase
  @usableFromInline let offset: UInt

  @usableFromInline
  init(_ object: ObjectBase, _ offset: UInt) {
    self.object = object
    self.offset = offset
  }

  var recorder: KeyPathRecorder {
    guard let recorder = unsafe object._owner as? KeyPathRecorder else {
      throwRealmException("The object does not record key paths.")
    }
    return recorder
  }

  /// The initial value in the property's declaration; nil if there is none.
  func declaredValue<Value: _Persistable>(_ type: Value.Type) -> Value? {
    let property = ModelSchema.of(Swift.type(of: object)).property(atOffset: Int(offset))
    guard property?.wrapperType == Persisted<Value>.self else { return nil }
    let address = unsafe Unmanaged.passUnretained(object).toOpaque() + Int(offset)
    return unsafe _Wrapper(address: address, isFresh: true).value(type)
  }

  /// Records the property's name and returns the recorder.
  func record() -> KeyPathRecorder {
    let recorder = recorder
    if let property = ModelSchema.of(type(of: object)).property(atOffset: Int(offset)) {
      recorder.record(property.name)
    }
    return recorder
  }
}

/// The name of the property, or the names joined by dots, that `keyPath` leads to.
///
/// Empty for the object itself. Traps for a key path to what is not a property of the database.
public func _name<T: ObjectBase>(for keyPath: PartialKeyPath<T>) -> String {
  let name = KnownKeyPaths.entry(of: keyPath, from: T.self).name
  if name.isEmpty, keyPath != \T.self { UnpersistedKeyPath.refuse(keyPath, of: T.self) }
  return name
}

/// The name of the property of `model`, or the names joined by dots, that `keyPath` leads to; empty
/// if it does not begin at such an object.
func _name(for keyPath: AnyKeyPath, of model: ObjectBase.Type) -> String {
  let recorder = KeyPathRecorder()
  return recorder.path(to: (recorder.makeObject(model) as Any)[keyPath: keyPath])
}
