// SPDX-License-Identifier: Apache-2.0

// Values of BSON in other formats: as extended JSON, like `{"$oid":"…"}`.
//
// Coders of BSON itself take and give values as they are: they know the type.

#if Sync
import RealmFormats

extension AnyBSON: Codable {
  /// Reads extended JSON.
  public init(from decoder: any Decoder) throws {
    let json = try CodedJSON(from: decoder)
    do {
      self.init(try ExtendedJSONReader.value(json.value))
    } catch {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath, debugDescription: "The value is no extended JSON."))
    }
  }

  /// Writes extended JSON.
  public func encode(to encoder: any Encoder) throws {
    try CodedJSON(value: ExtendedJSONWriter.json(bson)).encode(to: encoder)
  }
}

/// A value of JSON for coders.
private struct CodedJSON: Codable {
  let value: JSONValue

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }

    init?(intValue: Int) { nil }
  }

  init(value: JSONValue) { self.value = value }

  init(from decoder: any Decoder) throws {
    if let members = try? decoder.container(keyedBy: Key.self) {
      value = .object(
        try members.allKeys.map { key in
          JSONMember(key.stringValue, try members.decode(CodedJSON.self, forKey: key).value)
        })
      return
    }
    if var elements = try? decoder.unkeyedContainer() {
      var values: [JSONValue] = []
      while !elements.isAtEnd { values.append(try elements.decode(CodedJSON.self).value) }
      value = .array(values)
      return
    }
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      value = .null
    } else if let truth = try? container.decode(Bool.self) {
      value = .bool(truth)
    } else if let number = try? container.decode(Int64.self) {
      value = .integer(number)
    } else if let number = try? container.decode(Double.self) {
      value = .double(number)
    } else {
      value = .string(try container.decode(String.self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    switch value {
    case .object(let members):
      var container = encoder.container(keyedBy: Key.self)
      for member in members {
        try container.encode(
          CodedJSON(value: member.value), forKey: Key(stringValue: member.key))
      }
    case .array(let values):
      var container = encoder.unkeyedContainer()
      for value in values { try container.encode(CodedJSON(value: value)) }
    case .null:
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    case .bool(let value): try value.encode(to: encoder)
    case .integer(let value): try value.encode(to: encoder)
    case .double(let value): try value.encode(to: encoder)
    case .string(let value): try value.encode(to: encoder)
    }
  }
}
#endif
