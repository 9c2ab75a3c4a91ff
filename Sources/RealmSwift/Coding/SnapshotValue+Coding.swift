// SPDX-License-Identifier: Apache-2.0

// Coding of `ObjectSnapshot` in other formats: an object by the names of its properties. Each value
// goes through a container of the coder, so that its strategies for dates and data are honored.

import Foundation
import RealmTables

/// A coding key of any string.
struct NameKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ name: String) { stringValue = name }
  init?(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }

  static let list = NameKey("list")
  static let dictionary = NameKey("dictionary")
  static let object = NameKey("object")
  static let className = NameKey("class")
  static let properties = NameKey("properties")
}

// MARK: - Encoding

extension SnapshotRecord {
  func encode(to encoder: any Encoder, _ schema: ModelSchema) throws {
    var container = encoder.container(keyedBy: NameKey.self)
    for property in schema.properties {
      guard let value = values[property.name] else { continue }
      try value.encode(
        to: container.superEncoder(forKey: NameKey(property.name)), property.shape,
        collection: property.shape.collection)
    }
  }
}

extension SnapshotValue {
  fileprivate func encode(
    to encoder: any Encoder, _ shape: _PropertyShape, collection: _PropertyShape.Collection
  ) throws {
    switch self {
    case .scalar(let value):
      shape.type == .any ? try value.encodeWithType(to: encoder) : try value.encode(to: encoder)
    case .object(let record):
      guard let model = shape.linkedClass else { return try TableValue.null.encode(to: encoder) }
      try record.encode(to: encoder, ModelSchema.of(model))
    case .mixedLink(let model, let record):
      var container = encoder.container(keyedBy: NameKey.self)
      var inside = container.nestedContainer(keyedBy: NameKey.self, forKey: .object)
      try inside.encode(model.type.className(), forKey: .className)
      try record.encode(to: inside.superEncoder(forKey: .properties), ModelSchema.of(model.type))
    case .list, .map:
      guard collection == .none else { return try encodeElements(to: encoder, shape) }
      // Inside a mixed value, which is encoded with its type.
      var container = encoder.container(keyedBy: NameKey.self)
      let name = if case .list = self { NameKey.list } else { NameKey.dictionary }
      try encodeElements(to: container.superEncoder(forKey: name), shape)
    }
  }

  private func encodeElements(to encoder: any Encoder, _ shape: _PropertyShape) throws {
    switch self {
    case .list(let elements):
      var container = encoder.unkeyedContainer()
      for element in elements {
        try element.encode(to: container.superEncoder(), shape, collection: .none)
      }
    case .map(let entries):
      var container = encoder.container(keyedBy: NameKey.self)
      for (key, value) in entries {
        try value.encode(
          to: container.superEncoder(forKey: NameKey(key)), shape, collection: .none)
      }
    case .scalar, .object, .mixedLink: break
    }
  }
}

extension TableValue {
  fileprivate func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch any {
    case let value as any Encodable: try container.encode(value)
    default: try container.encodeNil()
    }
  }

  /// Encodes the value as an object whose only key is the name of its type.
  func encodeWithType(to encoder: any Encoder) throws {
    guard let name = typeName else { return try encode(to: encoder) }
    var container = encoder.container(keyedBy: NameKey.self)
    try encode(to: container.superEncoder(forKey: NameKey(name)))
  }

  private var typeName: String? {
    switch self {
    case .int: "int"
    case .bool: "bool"
    case .float: "float"
    case .double: "double"
    case .string: "string"
    case .binary: "data"
    case .timestamp: "date"
    case .decimal: "decimal128"
    case .objectId: "objectId"
    case .uuid: "uuid"
    case .null, .link, .typedLink, .list, .dictionary: nil
    }
  }
}

// MARK: - Decoding

extension SnapshotRecord {
  init(from decoder: any Decoder, _ schema: ModelSchema) throws {
    let container = try decoder.container(keyedBy: NameKey.self)
    var values: [String: SnapshotValue] = [:]
    for property in schema.properties where property.shape.type != .linkingObjects {
      let key = NameKey(property.name)
      guard container.contains(key) else { continue }
      values[property.name] = try SnapshotValue(
        from: container.superDecoder(forKey: key), property.shape,
        collection: property.shape.collection)
    }
    self.init(
      isReference: values.count < 2 && values.keys.first == schema.primaryKey?.name, values)
  }
}

extension SnapshotValue {
  fileprivate init(
    from decoder: any Decoder, _ shape: _PropertyShape, collection: _PropertyShape.Collection
  ) throws {
    switch collection {
    case .list, .set:
      var container = try decoder.unkeyedContainer()
      var elements: [SnapshotValue] = []
      while !container.isAtEnd {
        elements.append(
          try SnapshotValue(from: container.superDecoder(), shape, collection: .none))
      }
      self = .list(elements)
    case .map:
      let container = try decoder.container(keyedBy: NameKey.self)
      var entries: [String: SnapshotValue] = [:]
      for key in container.allKeys {
        entries[key.stringValue] = try SnapshotValue(
          from: container.superDecoder(forKey: key), shape, collection: .none)
      }
      self = .map(entries)
    case .none:
      if try decoder.singleValueContainer().decodeNil() {
        self = .null
      } else if shape.type == .object, let model = shape.linkedClass {
        self = .object(try SnapshotRecord(from: decoder, ModelSchema.of(model)))
      } else if shape.type == .any {
        self = try SnapshotValue(fromMixed: decoder, shape)
      } else {
        self = .scalar(try TableValue(from: decoder, shape.type))
      }
    }
  }

  /// Decodes a mixed value, which is encoded with its type.
  private init(fromMixed decoder: any Decoder, _ shape: _PropertyShape) throws {
    let container = try decoder.container(keyedBy: NameKey.self)
    if container.contains(.list) {
      try self.init(from: container.superDecoder(forKey: .list), shape, collection: .list)
    } else if container.contains(.dictionary) {
      try self.init(from: container.superDecoder(forKey: .dictionary), shape, collection: .map)
    } else if container.contains(.object) {
      let inside = try container.nestedContainer(keyedBy: NameKey.self, forKey: .object)
      let name = try inside.decode(String.self, forKey: .className)
      guard let model = ModelClasses.named(name) as? Object.Type else {
        self = .null
        return
      }
      self = .mixedLink(
        SnapshotClass(type: model),
        try SnapshotRecord(
          from: inside.superDecoder(forKey: .properties), ModelSchema.of(model)))
    } else {
      self = .scalar(try TableValue(fromTyped: decoder))
    }
  }
}

extension TableValue {
  /// Decodes what `encodeWithType(to:)` wrote.
  init(fromTyped decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: NameKey.self)
    for (name, type) in TableValue.types where container.contains(NameKey(name)) {
      self = try TableValue(from: container.superDecoder(forKey: NameKey(name)), type)
      return
    }
    throw DecodingError.dataCorrupted(
      DecodingError.Context(
        codingPath: decoder.codingPath, debugDescription: "There is no value of a known type."))
  }

  private static var types: [(String, PropertyType)] {
    [
      ("int", .int), ("bool", .bool), ("float", .float), ("double", .double), ("string", .string),
      ("data", .data), ("date", .date), ("decimal128", .decimal128), ("objectId", .objectId),
      ("uuid", .UUID),
    ]
  }

  fileprivate init(from decoder: any Decoder, _ type: PropertyType) throws {
    let container = try decoder.singleValueContainer()
    let stored: _StoredValue =
      switch type {
      case .int: Int._stored(try container.decode(Int.self))
      case .bool: Bool._stored(try container.decode(Bool.self))
      case .float: Float._stored(try container.decode(Float.self))
      case .double: Double._stored(try container.decode(Double.self))
      case .string: String._stored(try container.decode(String.self))
      case .data: Data._stored(try container.decode(Data.self))
      case .date: Date._stored(try container.decode(Date.self))
      case .decimal128: Decimal128._stored(try container.decode(Decimal128.self))
      case .objectId: ObjectId._stored(try container.decode(ObjectId.self))
      case .UUID: UUID._stored(try container.decode(UUID.self))
      case .object, .linkingObjects, .any: _StoredValue(.null)
      }
    self = stored.value
  }
}
