// SPDX-License-Identifier: Apache-2.0

// Finds the name of a key path by reading it on an object that writes down what it is asked for:
// key paths of wrapped properties know no names.
//
// Invariants:
// 1. A recording object's hot pointer is `KeyPathRecorder.hot`, whose state matches no thread and
//    no generation, so every accessor ends in the slow path with the wrapper's offset in hand.
// 2. A recorder and its objects live inside one call of `_name(for:)`.

/// Collects the names of the properties that a key path visits.
final class KeyPathRecorder: ObjectOwner {
  private(set) var names: [String] = []

  /// What recording objects have in place of a class of a realm.
  nonisolated(unsafe) static let hot = makeHot()
  // nonisolated(unsafe): written once, before anybody can see it.

  private static func makeHot() -> UnsafeMutablePointer<ClassHot> {
    let state = UnsafeMutablePointer<HotState>.allocate(capacity: 1)
    state.initialize(
      to: HotState(
        isolation: 0, generation: .max, isInWrite: false, trackingPlace: TrackingPlace.place))
    let hot = UnsafeMutablePointer<ClassHot>.allocate(capacity: 1)
    hot.initialize(
      to: ClassHot(
        state: state, columnAtOffset: UnsafeMutablePointer<_ColumnSlot>.allocate(capacity: 1),
        info: nil))
    return hot
  }

  /// An object of `modelClass` whose accessors add their names here.
  func makeObject<T: ObjectBase>(_ modelClass: T.Type) -> T {
    let object = modelClass.init()
    object._owner = self
    object._hot = KeyPathRecorder.hot
    return object
  }

  func record(_ name: String) { names.append(name) }
}

/// The object, and the wrapper in it, that a key path is just reading.
public struct _Recording {
  @usableFromInline let object: ObjectBase
  @usableFromInline let offset: UInt

  @usableFromInline
  init(_ object: ObjectBase, _ offset: UInt) {
    self.object = object
    self.offset = offset
  }

  /// The recorder of the object.
  var recorder: KeyPathRecorder {
    guard let recorder = object._owner as? KeyPathRecorder else {
      throwRealmException("The object does not record key paths.")
    }
    return recorder
  }

  /// The recorder, after the property's name was written down.
  func record() -> KeyPathRecorder {
    let recorder = recorder
    if let property = ModelSchema.of(type(of: object)).property(atOffset: Int(offset)) {
      recorder.record(property.name)
    }
    return recorder
  }
}

/// The name of the property, or the names joined by dots, that `keyPath` leads to.
public func _name<T: ObjectBase>(for keyPath: PartialKeyPath<T>) -> String {
  _name(for: keyPath, of: T.self)
}

/// The name of the property of `model`, or the names joined by dots, that `keyPath` leads to; empty
/// if it does not begin at such an object.
func _name(for keyPath: AnyKeyPath, of model: ObjectBase.Type) -> String {
  let recorder = KeyPathRecorder()
  _ = (recorder.makeObject(model) as Any)[keyPath: keyPath]
  return recorder.names.joined(separator: ".")
}
