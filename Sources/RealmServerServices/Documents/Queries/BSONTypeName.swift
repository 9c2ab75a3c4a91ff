// SPDX-License-Identifier: Apache-2.0

// The types of values as `$type` names them.

#if Server
import RealmFormats

/// The types of `$type`, by their names and numbers.
enum BSONTypeName: String, CaseIterable, Hashable, Sendable {
  case double, string, object, array, binData, objectId, bool, date, null, regex, int, timestamp
  case long, decimal, minKey, maxKey, number

  init?(number: Int64) {
    switch number {
    case 1: self = .double
    case 2: self = .string
    case 3: self = .object
    case 4: self = .array
    case 5: self = .binData
    case 7: self = .objectId
    case 8: self = .bool
    case 9: self = .date
    case 10: self = .null
    case 11: self = .regex
    case 16: self = .int
    case 17: self = .timestamp
    case 18: self = .long
    case 19: self = .decimal
    case -1: self = .minKey
    case 127: self = .maxKey
    default: return nil
    }
  }

  /// The type of a value.
  init(of value: BSONValue) {
    self =
      switch value {
      case .null: .null
      case .bool: .bool
      case .int32: .int
      case .int64: .long
      case .double: .double
      case .decimal: .decimal
      case .string: .string
      case .objectID: .objectId
      case .binary: .binData
      case .date: .date
      case .timestamp: .timestamp
      case .regularExpression: .regex
      case .minKey: .minKey
      case .maxKey: .maxKey
      case .array: .array
      case .document: .object
      }
  }

  func includes(_ value: BSONValue) -> Bool {
    self == .number ? BSONNumber(value) != nil : self == BSONTypeName(of: value)
  }
}
#endif
