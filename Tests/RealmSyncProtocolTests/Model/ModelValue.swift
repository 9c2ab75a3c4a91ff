// SPDX-License-Identifier: Apache-2.0

// The values and types of the model against which merging is tested.

/// A value of the model.
indirect enum ModelValue: Equatable, Sendable {
  case null
  case int(Int64)
  case text(String)
  case link(Int64)
  case object([String: ModelValue])
  case list([ModelValue])
  case dictionary([String: ModelValue])
  case set(Set<String>)
}

/// The type of a field or of the elements of a collection.
indirect enum ModelType: Sendable {
  case int
  case optionalInt
  case text
  case mixed
  case link
  case set
  case list(ModelType)
  case dictionary(ModelType)
  case embedded([String: ModelType])

  /// The value of a new object's field.
  var initial: ModelValue {
    switch self {
    case .int: .int(0)
    case .text: .text("")
    case .optionalInt, .mixed, .link, .embedded: .null
    case .set: .set([])
    case .list: .list([])
    case .dictionary: .dictionary([:])
    }
  }

  /// The fields of the one class that the model has.
  static let fields: [String: ModelType] = [
    "int": .int, "optional": .optionalInt, "text": .text, "mixed": .mixed, "link": .link,
    "set": .set, "texts": .list(.text), "mixeds": .list(.mixed),
    "embedded": .embedded(embeddedFields), "parts": .list(.embedded(embeddedFields)),
    "entries": .dictionary(.mixed),
  ]

  private static let embeddedFields: [String: ModelType] = [
    "int": .int, "mixed": .mixed, "texts": .list(.text),
    "below": .embedded(["int": .int, "texts": .list(.text)]),
  ]

  static func newObject(_ fields: [String: ModelType]) -> ModelValue {
    .object(fields.mapValues(\.initial))
  }

  /// The type of what lies below a value of this type.
  func below(_ name: String?) -> ModelType? {
    switch self {
    case .mixed: .mixed
    case .list(let element), .dictionary(let element): element
    case .embedded(let fields): name.flatMap { fields[$0] }
    default: nil
    }
  }
}
