// SPDX-License-Identifier: Apache-2.0

// `ProjectionSchema`: the properties of a class of projections, found by reflection once.

import RealmSession
import RealmStorage
@_spi(Reflection) import Swift
import Synchronization

/// The properties of a class of projections, and what they lead to.
final class ProjectionSchema: @unchecked Sendable {
  // Sendable: nothing in it changes; key paths are immutable.

  /// A property, and the names of the properties of the object that lead to its value.
  struct Property {
    let name: String
    /// The names, joined by dots.
    let path: String
    /// The value for an object; nil for null.
    let value: (ObjectBase) -> Any?

    var firstName: Substring { path.prefix { $0 != "." } }
  }

  let className: String
  let properties: [Property]

  private init<P: ProjectionObservable>(_ type: P.Type) {
    className = "\(type)"
    // Any object serves to find the key paths.
    let instance = type.init(projecting: P.Root())
    let address = unsafe UnsafeRawPointer(Unmanaged.passUnretained(instance).toOpaque())
    var properties: [Property] = []
    let classType = _EachFieldOptions(rawValue: 1)
    unsafe _forEachField(of: type, options: classType) { name, offset, fieldType, _ in
      guard let field = fieldType as? any AnyProjected.Type else { return true }
      // The storage of `@Projected var name` is called `_name`.
      let label = unsafe String(String(cString: name).dropFirst())
      let content = unsafe field.content(at: address + offset)
      let path = RealmSwift._name(for: content.keyPath, of: P.Root.self)
      if path.isEmpty {
        throwRealmException("@Projected property '\(label)' must be a part of Realm object")
      }
      properties.append(Property(name: label, path: path, value: content.read))
      return true
    }
    withExtendedLifetime(instance) {}
    self.properties = properties
  }

  private static let known = Locked<[ObjectIdentifier: ProjectionSchema]>([:])

  /// The schema of a class; reflected upon at the first call.
  static func of(_ type: any ProjectionObservable.Type) -> ProjectionSchema {
    let identifier = ObjectIdentifier(type)
    if let schema = known.withLock({ $0[identifier] }) { return schema }
    // Outside the lock, since it runs the class's own initializer.
    let schema = make(type)
    known.withLock { $0[identifier] = schema }
    return schema
  }

  /// The class that was checked last: loops make projections of one class again and again.
  private static let lastChecked = Atomic<UInt>(0)

  /// Traps if a property of a class shows nothing that is stored.
  @inline(__always)
  static func check(_ type: any ProjectionObservable.Type) {
    let identifier = UInt(bitPattern: ObjectIdentifier(type))
    if lastChecked.load(ordering: .relaxed) == identifier { return }
    _ = of(type)
    lastChecked.store(identifier, ordering: .relaxed)
  }

  /// `P` may be a superclass of the class that `type` is: nothing here asks `P` for anything but
  /// the class of the objects, which is the same.
  private static func make<P: ProjectionObservable>(_ type: P.Type) -> ProjectionSchema {
    ProjectionSchema(type)
  }
}

/// The names of the properties of the object, joined by dots, that a key path of a projection leads
/// to.
func _name<P: ProjectionObservable>(for keyPath: PartialKeyPath<P>) -> String {
  let recorder = KeyPathRecorder()
  return recorder.path(to: P(projecting: recorder.makeObject(P.Root.self))[keyPath: keyPath])
}
