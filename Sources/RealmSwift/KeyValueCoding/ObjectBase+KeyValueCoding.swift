// SPDX-License-Identifier: Apache-2.0

// What the key-value methods of objects do.

extension ObjectBase {
  /// The value of the property called `key`; nil for null.
  final func _valueForKey(_ key: String) -> Any? {
    if let value = _value(named: key) { return unwrapped(value) }
    if key == "self" { return self }
    throwRealmException("Invalid property name '\(key)' for class '\(_schema.className)'.")
  }

  final func _valueForKeyPath(_ keyPath: String) -> Any? {
    KeyValuePath.value(of: self, at: Substring(keyPath))
  }

  final func _setValue(_ value: Any?, forKeyPath keyPath: String) {
    KeyValuePath.setValue(value, of: self, at: Substring(keyPath))
  }
}
