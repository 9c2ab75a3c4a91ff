// SPDX-License-Identifier: Apache-2.0

// Conformances of collections to `Codable`, as arrays and objects of other formats. Values go
// through the coder's own containers, so that its strategies for dates and data are honored.

extension List: Decodable where Element: Decodable {
  /// Decodes the elements of an array into a list that belongs to no realm.
  public convenience init(from decoder: any Decoder) throws {
    self.init(elements: try decoder.singleValueContainer().decode([Element].self))
  }
}

extension List: Encodable where Element: Encodable {
  /// Encodes the elements as an array.
  public func encode(to encoder: any Encoder) throws { try encodeElements(to: encoder) }
}

extension MutableSet: Decodable where Element: Decodable {
  /// Decodes the elements of an array into a set that belongs to no realm.
  public convenience init(from decoder: any Decoder) throws {
    self.init(elements: try decoder.singleValueContainer().decode([Element].self))
  }
}

extension MutableSet: Encodable where Element: Encodable {
  /// Encodes the elements as an array.
  public func encode(to encoder: any Encoder) throws { try encodeElements(to: encoder) }
}

extension Results: Encodable where Element: Encodable {
  /// Encodes the elements as an array.
  public func encode(to encoder: any Encoder) throws { try encodeElements(to: encoder) }
}

extension LinkingObjects: Encodable where Element: Encodable {
  /// Encodes the objects as an array.
  public func encode(to encoder: any Encoder) throws { try encodeElements(to: encoder) }
}

extension AnyRealmCollection: Encodable where Element: Encodable {
  /// Encodes the elements as an array.
  public func encode(to encoder: any Encoder) throws { try encodeElements(to: encoder) }
}

extension RealmCollection where Element: Encodable {
  fileprivate func encodeElements(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    for element in self { try container.encode(element) }
  }
}

extension Map: Decodable where Value: Decodable {
  /// Decodes the entries of an object into a map that belongs to no realm.
  public convenience init(from decoder: any Decoder) throws {
    let entries = try decoder.singleValueContainer().decode([String: Value].self)
    self.init(
      entries: Dictionary(
        entries.map { (Key._make($0.key), $0.value) }, uniquingKeysWith: { _, last in last }))
  }
}

extension Map: Encodable where Value: Encodable {
  /// Encodes the entries as an object.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(
      Dictionary(map { ($0.key._text, $0.value) }, uniquingKeysWith: { _, last in last }))
  }
}
