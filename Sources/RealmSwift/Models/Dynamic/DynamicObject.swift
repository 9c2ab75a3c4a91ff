// SPDX-License-Identifier: Apache-2.0

// Objects of classes that are known by name only.

/// An object of the database whose properties are known by name, not by a class of the program.
///
/// ```swift
/// for dog in realm.dynamicObjects("Dog") { print(dog["name"] ?? "nameless", dog.age ?? 0) }
/// ```
///
/// Values have the types that the database stores: enumerations as their raw values, integers as
/// `Int`, linked objects as `DynamicObject`, collections as `List`, `MutableSet` and `Map` of
/// those. A null is nil. Names that are no property trap, as do values of other types than the
/// property's.
///
/// Dynamic objects are always managed: they come from `Realm.dynamicObjects(_:)` and its relatives,
/// and from migrations. Like all objects they may be used only where their realm is confined.
@dynamicMemberLookup
public final class DynamicObject: Object {
  /// The value of the property called `member`.
  public subscript(dynamicMember member: String) -> Any? {
    get { self[member] }
    set { self[member] = newValue }
  }

  /// The value of the property called `key`, as `value(forKey:)` returns it.
  public func value(forUndefinedKey key: String) -> Any? { self[key] }

  /// Sets the property called `key`, as `setValue(_:forKey:)` does.
  public func setValue(_ value: Any?, forUndefinedKey key: String) { self[key] = value }

  /// False: no table holds dynamic objects as such.
  public override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// The type of the objects that `enumerateObjects` of a `Migration` passes, in their old and new
/// form.
public typealias MigrationObject = DynamicObject
