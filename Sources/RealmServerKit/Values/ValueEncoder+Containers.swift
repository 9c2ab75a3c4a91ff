// SPDX-License-Identifier: Apache-2.0

// The parts of documents and arrays of BSON of encodable values.

#if Server
import RealmSwift

extension ValueEncoder {
  /// The members of a document.
  struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let place: Place
    let codingPath: [any CodingKey]

    private func encoder(_ key: any CodingKey) -> ValueEncoder {
      ValueEncoder(place: place.place(key.stringValue), codingPath: codingPath + [key])
    }

    func encodeNil(forKey key: Key) throws { try encoder(key).encodeNil() }

    func encode(_ value: Bool, forKey key: Key) throws { try encoder(key).encode(value) }

    func encode(_ value: String, forKey key: Key) throws { try encoder(key).encode(value) }

    func encode(_ value: Double, forKey key: Key) throws { try encoder(key).encode(value) }

    func encode(_ value: Float, forKey key: Key) throws { try encoder(key).encode(value) }

    func encode(_ value: Int, forKey key: Key) throws { try encoder(key).encode(value) }

    func encode(_ value: Int8, forKey key: Key) throws { try encoder(key).encode(value) }

    func encode(_ value: Int16, forKey key: Key) throws { try encoder(key).encode(value) }

    func encode(_ value: Int32, forKey key: Key) throws { try encoder(key).encode(value) }

    func encode(_ value: Int64, forKey key: Key) throws { try encoder(key).encode(value) }

    func encode(_ value: UInt, forKey key: Key) throws { try encoder(key).encode(value) }

    func encode(_ value: UInt8, forKey key: Key) throws { try encoder(key).encode(value) }

    func encode(_ value: UInt16, forKey key: Key) throws { try encoder(key).encode(value) }

    func encode(_ value: UInt32, forKey key: Key) throws { try encoder(key).encode(value) }

    func encode(_ value: UInt64, forKey key: Key) throws { try encoder(key).encode(value) }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
      try encoder(key).encode(value)
    }

    func nestedContainer<NestedKey: CodingKey>(
      keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> { encoder(key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      encoder(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { encoder(PlaceKey(stringValue: "super")) }

    func superEncoder(forKey key: Key) -> any Encoder { encoder(key) }
  }

  /// The elements of an array.
  struct Elements: UnkeyedEncodingContainer {
    let place: Place
    let codingPath: [any CodingKey]

    var count: Int {
      if case .elements(let elements) = place.content { elements.count } else { 0 }
    }

    private func encoder() -> ValueEncoder {
      ValueEncoder(codingPath: codingPath + [PlaceKey(count)], in: place)
    }

    func encodeNil() throws { try encoder().encodeNil() }

    func encode(_ value: Bool) throws { try encoder().encode(value) }

    func encode(_ value: String) throws { try encoder().encode(value) }

    func encode(_ value: Double) throws { try encoder().encode(value) }

    func encode(_ value: Float) throws { try encoder().encode(value) }

    func encode(_ value: Int) throws { try encoder().encode(value) }

    func encode(_ value: Int8) throws { try encoder().encode(value) }

    func encode(_ value: Int16) throws { try encoder().encode(value) }

    func encode(_ value: Int32) throws { try encoder().encode(value) }

    func encode(_ value: Int64) throws { try encoder().encode(value) }

    func encode(_ value: UInt) throws { try encoder().encode(value) }

    func encode(_ value: UInt8) throws { try encoder().encode(value) }

    func encode(_ value: UInt16) throws { try encoder().encode(value) }

    func encode(_ value: UInt32) throws { try encoder().encode(value) }

    func encode(_ value: UInt64) throws { try encoder().encode(value) }

    func encode<T: Encodable>(_ value: T) throws { try encoder().encode(value) }

    func nestedContainer<NestedKey: CodingKey>(
      keyedBy type: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> { encoder().container(keyedBy: type) }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
      encoder().unkeyedContainer()
    }

    func superEncoder() -> any Encoder { encoder() }
  }

  /// The encoder of the next element of an array.
  private init(codingPath: [any CodingKey], in array: Place) {
    self.init(place: array.append(), codingPath: codingPath)
  }
}
#endif
