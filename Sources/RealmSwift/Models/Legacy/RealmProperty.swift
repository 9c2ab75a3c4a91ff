// SPDX-License-Identifier: Apache-2.0

// Optional and mixed properties of classes that do without `@Persisted`.

/// Types that `RealmProperty` can hold: `AnyRealmValue`, and optional numbers, booleans and
/// enumerations.
public protocol RealmPropertyType: _Persistable, Equatable {}

extension AnyRealmValue: RealmPropertyType {}
extension Optional: RealmPropertyType where Wrapped: RealmOptionalType {}

/// A property of a class that declares its properties without `@Persisted`.
///
/// ```swift
/// class Person: Object {
///   let age = RealmProperty<Int?>()
/// }
/// person.age.value = 3
/// ```
///
/// Declare it with `let`. As soon as a class has one `@Persisted` property, only those are stored.
public final class RealmProperty<Value: RealmPropertyType> {
  let cell: LegacyCell<Value>

  /// Creates a property that is nil, or `AnyRealmValue.none`.
  public init() { cell = LegacyCell(Value._makeDefault()) }

  /// The value. In an object that a realm manages it may be set in write transactions only.
  public var value: Value {
    get { cell.value }
    set { cell.value = newValue }
  }
}

extension RealmProperty: Equatable {
  /// Whether both have equal values.
  public static func == (left: RealmProperty, right: RealmProperty) -> Bool {
    left.value == right.value
  }
}

extension RealmProperty: CustomStringConvertible {
  /// The description of the value.
  public var description: String { unwrapped(value).map { "\($0)" } ?? "nil" }
}

extension RealmProperty: Decodable where Value: Decodable {
  /// Decodes the value.
  public convenience init(from decoder: any Decoder) throws {
    self.init()
    cell.value = try decoder.singleValueContainer().decode(Value.self)
  }
}

extension RealmProperty: Encodable where Value: Encodable {
  /// Encodes the value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}
