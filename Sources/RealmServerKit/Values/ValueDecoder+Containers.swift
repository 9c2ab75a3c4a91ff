// SPDX-License-Identifier: Apache-2.0

// The parts of documents and arrays of BSON for decodable types.

#if Server
import RealmSwift

extension ValueDecoder {
  /// The members of a document.
  struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let document: Document
    let codingPath: [any CodingKey]

    var allKeys: [Key] { document.keys.sorted().compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { document[key.stringValue] != nil }

    private func decoder(_ key: any CodingKey) throws -> ValueDecoder {
      guard let member = document[key.stringValue] else {
        throw DecodingError.keyNotFound(
          key,
          DecodingError.Context(
            codingPath: codingPath,
            debugDescription: "The document has no '\(key.stringValue)'."))
      }
      return ValueDecoder(member ?? .null, at: codingPath + [key])
    }

    func decodeNil(forKey key: Key) throws -> Bool { try decoder(key).decodeNil() }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
      try decoder(key).decode(type)
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try decoder(key).decode(type) }

    func decode(_ type: String.Type, forKey key: Key) throws -> String {
      try decoder(key).decode(type)
    }

    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
      try decoder(key).decode(type)
    }

    func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
      try decoder(key).decode(type)
    }

    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try decoder(key).decode(type) }

    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try decoder(key).decode(type) }

    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
      try decoder(key).decode(type)
    }

    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
      try decoder(key).decode(type)
    }

    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
      try decoder(key).decode(type)
    }

    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try decoder(key).decode(type) }

    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
      try decoder(key).decode(type)
    }

    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
      try decoder(key).decode(type)
    }

    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
      try decoder(key).decode(type)
    }

    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
      try decoder(key).decode(type)
    }

    func nestedContainer<NestedKey: CodingKey>(
      keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
      try decoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      try decoder(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try decoder(PlaceKey(stringValue: "super")) }

    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }
  }

  /// The elements of an array.
  struct Elements: UnkeyedDecodingContainer {
    let values: [AnyBSON?]
    let codingPath: [any CodingKey]
    private(set) var currentIndex = 0

    init(values: [AnyBSON?], codingPath: [any CodingKey]) {
      self.values = values
      self.codingPath = codingPath
    }

    var count: Int? { values.count }
    var isAtEnd: Bool { currentIndex == values.count }

    private func decoder() throws -> ValueDecoder {
      let path = codingPath + [PlaceKey(currentIndex)]
      guard currentIndex < values.count else {
        throw DecodingError.valueNotFound(
          Any.self,
          DecodingError.Context(
            codingPath: path, debugDescription: "The array has no more elements."))
      }
      return ValueDecoder(values[currentIndex] ?? .null, at: path)
    }

    /// Reads the next element; one with an error is not passed.
    private mutating func next<R>(_ read: (ValueDecoder) throws -> R) throws -> R {
      let result = try read(decoder())
      currentIndex += 1
      return result
    }

    mutating func decodeNil() throws -> Bool {
      guard try decoder().decodeNil() else { return false }
      currentIndex += 1
      return true
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
      try next { try $0.decode(type) }
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try next { try $0.decode(type) } }

    mutating func decode(_ type: String.Type) throws -> String { try next { try $0.decode(type) } }

    mutating func decode(_ type: Double.Type) throws -> Double { try next { try $0.decode(type) } }

    mutating func decode(_ type: Float.Type) throws -> Float { try next { try $0.decode(type) } }

    mutating func decode(_ type: Int.Type) throws -> Int { try next { try $0.decode(type) } }

    mutating func decode(_ type: Int8.Type) throws -> Int8 { try next { try $0.decode(type) } }

    mutating func decode(_ type: Int16.Type) throws -> Int16 { try next { try $0.decode(type) } }

    mutating func decode(_ type: Int32.Type) throws -> Int32 { try next { try $0.decode(type) } }

    mutating func decode(_ type: Int64.Type) throws -> Int64 { try next { try $0.decode(type) } }

    mutating func decode(_ type: UInt.Type) throws -> UInt { try next { try $0.decode(type) } }

    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try next { try $0.decode(type) } }

    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try next { try $0.decode(type) } }

    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try next { try $0.decode(type) } }

    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try next { try $0.decode(type) } }

    mutating func nestedContainer<NestedKey: CodingKey>(
      keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
      try next { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
      try next { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try next { $0 } }
  }
}
#endif
