// SPDX-License-Identifier: Apache-2.0

// The source of the values of a new object: a dictionary, an array, or another object.

import RealmSession

/// The values that `create` and `init(value:)` are given, by property.
struct ValueSource {
  private enum Form {
    case dictionary([String: Any])
    /// By property; nil for backlinks, which no value is given for.
    case array([Any?])
    case object(ObjectBase)
  }

  private let form: Form
  private let className: String

  /// Traps for values of other forms, and for arrays with more elements than `schema` has
  /// properties.
  init(_ value: Any, for schema: ModelSchema) {
    className = schema.className
    // The likeliest forms first, and no cast to a class that the value may be bridged to.
    if let object = modelObject(value) {
      form = .object(object)
    } else if let dictionary = value as? [String: Any] {
      form = .dictionary(dictionary)
    } else if let array = value as? [Any] {
      let properties = schema.properties.filter { $0.shape.type != .linkingObjects }
      if array.count > properties.count {
        throwRealmException(
          "Invalid array input: more values (\(array.count)) than properties "
            + "(\(properties.count)).")
      }
      var values = [Any?](repeating: nil, count: schema.properties.count)
      for (property, value) in zip(properties, array) { values[property.index] = value }
      form = .array(values)
    } else if let wrapped = unwrapped(value) {
      throwRealmException(
        "Invalid value '\(wrapped)' to initialize object of type '\(schema.className)'")
    } else {
      throwRealmException("Must provide a non-nil value.")
    }
  }

  func value(of property: ModelProperty) -> Any? {
    switch form {
    case .dictionary(let dictionary): return dictionary[property.name]
    case .array(let values): return values[property.index]
    case .object(let object):
      guard let value = object._value(named: property.name) else {
        throwRealmException(
          "Invalid value '\(object)' to initialize object of type "
            + "'\(className)': missing key '\(property.name)'")
      }
      return value
    }
  }
}
