// SPDX-License-Identifier: Apache-2.0

// The public classes that models inherit from.

/// The base class of models: the objects of a subclass with `@Persisted` properties can be stored.
///
/// ```swift
/// class Todo: Object {
///   @Persisted(primaryKey: true) var _id: ObjectId
///   @Persisted var name: String
/// }
/// ```
///
/// An object is unmanaged, and behaves like any other, until it is added to a realm. From then on
/// its properties are those of the database: they may be read where the realm is confined, change
/// when the realm advances, and may be set in write transactions only.
nonisolated open class Object: ObjectBase {
  /// Creates an unmanaged object with default values.
  public required init() { super.init() }

  /// Creates an unmanaged object.
  ///
  /// - Parameter value: The values of its properties: a dictionary by name, an array in the order
  ///   of the declarations, or another object. Missing ones have their defaults.
  public convenience init(value: Any) {
    self.init()
    _fill(from: value)
  }

  /// The value of the property called `key`; nil for null.
  ///
  /// Traps if the class has no such property, and in the cases in which the setter of a property
  /// traps.
  open subscript(key: String) -> Any? {
    get { _valueForKey(key) }
    set { _setValue(newValue as Any, named: key) }
  }
}

/// A model whose objects are part of exactly one parent object, and are deleted with it.
nonisolated open class EmbeddedObject: ObjectBase {
  /// Creates an unmanaged object with default values.
  public required init() { super.init() }

  /// Creates an unmanaged object.
  ///
  /// - Parameter value: The values of its properties: a dictionary by name, an array in the order
  ///   of the declarations, or another object. Missing ones have their defaults.
  public convenience init(value: Any) {
    self.init()
    _fill(from: value)
  }

  /// The value of the property called `key`; nil for null.
  ///
  /// Traps if the class has no such property, and in the cases in which the setter of a property
  /// traps.
  open subscript(key: String) -> Any? {
    get { _valueForKey(key) }
    set { _setValue(newValue as Any, named: key) }
  }
}
