// SPDX-License-Identifier: Apache-2.0

// Where the values of a new object come from: a dictionary, an array, or another object.

/// The values that `create` and `init(value:)` are given, by property.
struct ValueSource {
  private enum Form {
    case dictionary([String: Any])
    case array([Any])
    case object(ObjectBase)
  }

  private let form: Form

  /// Ends the process for values of other forms, and for arrays with more elements than `schema`
  /// has properties.
  init(_ value: Any, for schema: ModelSchema) {
    // The likeliest forms first, and no cast to a class that the value may be bridged to.
    if let object = modelObject(value) {
      form = .object(object)
    } else if let dictionary = value as? [String: Any] {
      form = .dictionary(dictionary)
    } else if let array = value as? [Any] {
      let count = schema.properties.count
      if array.count > count {
        throwRealmException(
          "Invalid array input: more values (\(array.count)) than properties (\(count)).")
      }
      form = .array(array)
    } else if let wrapped = unwrapped(value) {
      throwRealmException(
        "Invalid value '\(wrapped)' to initialize object of type '\(schema.className)'")
    } else {
      throwRealmException("Must provide a non-nil value.")
    }
  }

  /// The value given for a property; nil if none is.
  func value(of property: ModelProperty) -> Any? {
    switch form {
    case .dictionary(let dictionary): return dictionary[property.name]
    case .array(let array): return property.index < array.count ? array[property.index] : nil
    case .object(let object):
      guard let value = object._value(named: property.name) else {
        throwRealmException(
          "Invalid value '\(object)' to initialize object of type "
            + "'\(type(of: object).className())': missing key '\(property.name)'")
      }
      return value
    }
  }
}
