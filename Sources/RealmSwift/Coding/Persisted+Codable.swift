// SPDX-License-Identifier: Apache-2.0

// Codable models: a class that declares the conformance gets it from the compiler, property by
// property.
//
// Invariants:
// 1. A wrapper of a managed object holds no value of the object (see `Persisted`), so encoding it
//    throws. `PersistedFlags.managed` marks it; `ClassInfo.marksManaged` says whether it is set.

/// A wrapper that is nil when a decoder has no value for it.
public protocol OptionalCodingWrapper {
  /// The type of the value in the wrapper.
  associatedtype WrappedType: ExpressibleByNilLiteral

  /// Wraps a value.
  init(wrappedValue: WrappedType)
}

extension Persisted: OptionalCodingWrapper where Value: ExpressibleByNilLiteral {}

extension Persisted: Decodable where Value: Decodable {
  /// Decodes the value, by itself, with the decoder's strategies.
  ///
  /// - Throws: `DecodingError.typeMismatch` for null, unless the property is optional, and what the
  ///   value throws.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil(), !(Value.self is any ExpressibleByNilLiteral.Type) {
      throw DecodingError.typeMismatch(
        Value.self,
        DecodingError.Context(
          codingPath: decoder.codingPath, debugDescription: "Cannot convert nil to \(Value.self)"))
    }
    self.init(value: try container.decode(Value.self), flags: .assigned)
  }
}

extension Persisted: Encodable where Value: Encodable {
  /// Encodes the value, by itself, with the encoder's strategies.
  ///
  /// - Throws: `EncodingError.invalidValue` for a property of a managed object, frozen or not, and
  ///   what the value throws. An `ObjectSnapshot` of it can be encoded.
  public func encode(to encoder: any Encoder) throws {
    if flags.contains(.managed) {
      throw EncodingError.invalidValue(
        self,
        EncodingError.Context(
          codingPath: encoder.codingPath,
          debugDescription: "Only unmanaged Realm objects can be encoded using automatic Codable "
            + "synthesis. You must explicitly define encode(to:) on your model class to support "
            + "managed Realm objects. 'ObjectSnapshot(object)' encodes any object, with the same "
            + "keys."))
    }
    var container = encoder.singleValueContainer()
    try container.encode(value ?? Value._makeDefault())
  }
}

extension KeyedDecodingContainer {
  /// The wrapper of an optional property; of nil if there is no such key.
  public func decode<T: OptionalCodingWrapper & Decodable>(
    _ type: T.Type, forKey key: Key
  ) throws -> T {
    try decodeIfPresent(type, forKey: key) ?? T(wrappedValue: nil)
  }
}

extension ClassInfo {
  /// Whether wrappers are marked when their object becomes managed: only coding reads the mark.
  static func marksManaged(_ modelClass: ObjectBase.Type) -> Bool {
    modelClass is any Encodable.Type
  }
}

extension ObjectBase {
  /// Marks the wrappers as those of a managed object.
  @inline(never)
  final func _markManaged(_ info: ClassInfo) {
    let address = unsafe Unmanaged.passUnretained(self).toOpaque()
    for step in info.steps {
      // The flags come first in every wrapper.
      unsafe (address + step.offset).assumingMemoryBound(to: PersistedFlags.self)
        .pointee.insert(.managed)
    }
  }
}
