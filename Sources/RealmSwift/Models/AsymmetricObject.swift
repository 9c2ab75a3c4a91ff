// SPDX-License-Identifier: Apache-2.0

// Models whose objects are only sent to a server.

/// A model whose objects go to a server and never come back: they can be created, but not read.
///
/// Only synchronized realms take such classes; opening a local realm with one is an error.
nonisolated open class AsymmetricObject: ObjectBase {
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
}

extension Realm {
  /// Creates an object that is sent to the server and cannot be read here.
  ///
  /// Must be called in a write transaction. Traps unless the realm has the class.
  public func create<T: AsymmetricObject>(_ type: T.Type, value: Any = [String: Any]()) {
    _ = core.objects.create(core.classes[type], value, .error)
  }
}
