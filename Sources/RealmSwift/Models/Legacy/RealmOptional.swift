// SPDX-License-Identifier: Apache-2.0

// The older form of `RealmProperty`.

/// Types that `RealmOptional` and `RealmProperty` can hold as optionals.
public protocol RealmOptionalType: _Scalar {}

extension Int: RealmOptionalType {}
extension Int8: RealmOptionalType {}
extension Int16: RealmOptionalType {}
extension Int32: RealmOptionalType {}
extension Int64: RealmOptionalType {}
extension Float: RealmOptionalType {}
extension Double: RealmOptionalType {}
extension Bool: RealmOptionalType {}

/// An optional property of a class that declares its properties without `@Persisted`.
///
/// Declare it with `let`. Use `RealmProperty`, or `@Persisted`, in new classes.
@available(*, deprecated, renamed: "RealmProperty", message: "RealmOptional has been deprecated")
public final class RealmOptional<Value: RealmOptionalType> {
  let cell: LegacyCell<Value?>

  /// Creates a property with an initial value.
  public init(_ value: Value? = nil) { cell = LegacyCell(value) }

  /// The value. In an object that a realm manages it may be set in write transactions only.
  public var value: Value? {
    get { cell.value }
    set { cell.value = newValue }
  }
}

@available(*, deprecated)
extension RealmOptional: Equatable {
  /// Whether both have equal values.
  public static func == (left: RealmOptional, right: RealmOptional) -> Bool {
    left.value == right.value
  }
}

@available(*, deprecated)
extension RealmOptional: CustomStringConvertible {
  /// The description of the value.
  public var description: String { value.map { "\($0)" } ?? "nil" }
}

@available(*, deprecated)
extension RealmOptional: Decodable where Value: Decodable {
  /// Decodes the value; null is nil.
  public convenience init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(Value?.self))
  }
}

@available(*, deprecated)
extension RealmOptional: Encodable where Value: Encodable {
  /// Encodes the value; nil is null.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}
