// SPDX-License-Identifier: Apache-2.0

// The cases of enumerations in messages about values that are none.

extension ModelProperty {
  /// A case of the property's enumeration, with the raw values of all; nil for other properties.
  var casesText: String? {
    guard let type = Self.enumeration(in: wrapperType.valueType) else { return nil }
    let values = Self.rawValues(of: type)
    let list = values.prefix(Self.shownCount).map { "'\($0)'" }.joined(separator: ", ")
    return "a case of '\(type)': \(list)\(values.count > Self.shownCount ? ", …" : "")"
  }

  /// How many raw values a message lists.
  private static let shownCount = 12

  /// The enumeration that values of a type are, or that their elements are.
  private static func enumeration(in type: Any.Type) -> (any PersistableEnum.Type)? {
    if let found = type as? any PersistableEnum.Type { return found }
    if let optional = type as? any OptionalValue.Type {
      return enumeration(in: optional.wrappedType)
    }
    if let list = type as? any RealmCollection.Type { return enumeration(in: element(list)) }
    if let map = type as? any RealmKeyedCollection.Type { return enumeration(in: value(map)) }
    return nil
  }

  private static func element<T: RealmCollection>(_ type: T.Type) -> Any.Type { T.Element.self }

  private static func value<T: RealmKeyedCollection>(_ type: T.Type) -> Any.Type { T.Value.self }

  private static func rawValues<T: PersistableEnum>(of type: T.Type) -> [T.RawValue] {
    type.allCases.map(\.rawValue)
  }
}

/// A type whose values may be nil.
private protocol OptionalValue {
  static var wrappedType: Any.Type { get }
}

extension Optional: OptionalValue {
  fileprivate static var wrappedType: Any.Type { Wrapped.self }
}
