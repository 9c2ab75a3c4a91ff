// SPDX-License-Identifier: Apache-2.0

// The root of all model classes: a header of a few words, and nothing else.
//
// Invariants:
// 1. An object is unmanaged (`_hot` is nil), recording (its owner is a `KeyPathRecorder`), or
//    managed (its owner is a `RealmCore`). It becomes managed once and never goes back.
// 2. The header of an object of a frozen realm never changes once the object was returned to the
//    program: many threads may read it at once.
//
// To the accessors of `@Persisted` the header's fields are plain memory, for speed: reads and
// assignments only, no reference counting, no exclusivity check.

public import RealmSession
public import RealmTables

/// The root class of all models. Use `Object` or `EmbeddedObject`.
///
/// Objects are confined to the thread, queue or actor of their realm and are not `Sendable`. Models
/// are `nonisolated`, also in modules whose default isolation is the main actor.
@safe
nonisolated open class ObjectBase: Hashable, CustomStringConvertible {
  @exclusivity(unchecked) @usableFromInline
  final var _hot: UnsafeMutablePointer<ClassHot>?
  @exclusivity(unchecked) @usableFromInline
  final var _generation: UInt64 = 0
  @exclusivity(unchecked) @usableFromInline
  final var _owner: SessionOwner?
  /// The row of the object at `_generation`; nil before the first access of a managed object.
  @exclusivity(unchecked) @usableFromInline
  final var _row: Row?
  @exclusivity(unchecked)
  final var _key = ObjectKey.null

  /// Creates an unmanaged object whose properties have their default values.
  public required init() {}

  /// The object's class name and the values of its properties.
  open var description: String { _describe() }

  /// Whether `object` represents the same object of the database.
  ///
  /// Frozen objects and objects of classes with a primary key are equal if they represent the same
  /// row of the same realm (for frozen ones: of the same version); others only if they are
  /// identical.
  open func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? ObjectBase else { return false }
    return _isEqual(other)
  }

  /// A hash that agrees with `isEqual(_:)`.
  open var hash: Int {
    var hasher = Hasher()
    _hash(into: &hasher)
    return hasher.finalize()
  }

  /// The value of the property called `key`; nil for null.
  ///
  /// Traps if the class has no such property.
  open func value(forKey key: String) -> Any? { _valueForKey(key) }

  /// The value at the end of properties joined by dots; nil if a link on the path is. Through a
  /// collection it is an array, or the result of an operator; see
  /// `RealmCollection.value(forKeyPath:)`.
  ///
  /// Traps if there is no such property.
  open func value(forKeyPath keyPath: String) -> Any? { _valueForKeyPath(keyPath) }

  /// Sets the property called `key`.
  ///
  /// Traps if the class has no such property, if `value` is not of its type, and for managed
  /// objects outside of a write transaction.
  open func setValue(_ value: Any?, forKey key: String) { _setValue(value as Any, named: key) }

  /// Sets the last of the properties joined by dots; does nothing if a link on the path is nil.
  open func setValue(_ value: Any?, forKeyPath keyPath: String) {
    _setValue(value, forKeyPath: keyPath)
  }

  /// Compares by `isEqual(_:)`.
  public static func == (left: ObjectBase, right: ObjectBase) -> Bool { left.isEqual(right) }

  /// Feeds `hash` to `hasher`.
  public func hash(into hasher: inout Hasher) { hasher.combine(hash) }

  /// The name of the class in the database, and so of its table: that of the class without its
  /// module, unless `_realmObjectName()` returns another one.
  public class func className() -> String {
    _realmObjectName() ?? _typeName(self, qualified: false)
  }

  /// The name of the class in the database, where it differs from that of the class.
  ///
  /// Override it to let two classes of the program use one table, each in realms of its own.
  open class func _realmObjectName() -> String? { nil }

  /// The name of the primary key property, for classes without `@Persisted(primaryKey: true)`.
  open class func primaryKey() -> String? { nil }

  /// Names of properties that are not stored.
  open class func ignoredProperties() -> [String] { [] }

  /// Names of the properties that have an index, for classes that declare them without
  /// `@Persisted`.
  open class func indexedProperties() -> [String] { [] }

  /// Names of properties and of the columns they are stored in, where the two differ.
  open class func propertiesMapping() -> [String: String] { [:] }

  /// Whether configurations without `objectTypes` include the class.
  open class func shouldIncludeInDefaultSchema() -> Bool { true }
}
