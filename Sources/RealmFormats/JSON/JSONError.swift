// SPDX-License-Identifier: Apache-2.0

// The errors of reading JSON.

/// The defect that makes bytes no JSON value.
package enum JSONError: Error, Hashable, Sendable {
  /// The bytes end inside of a value.
  case truncated
  /// The byte at this offset cannot stand there.
  case unexpectedByte(offset: Int)
  case invalidUTF8
  /// An escape of a string is none, or half of a surrogate pair.
  case badEscape
  /// A number is larger than a double can be.
  case numberOutOfRange
  /// Arrays and objects are inside of each other too often.
  case tooDeep
  /// Bytes follow the value.
  case trailingBytes
}

extension JSONError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .truncated: "it ends in the middle of a value"
    case .unexpectedByte(let offset): "the character at byte \(offset) cannot stand there"
    case .invalidUTF8: "a text is not UTF-8"
    case .badEscape: "an escape in a text is none, or half of a pair"
    case .numberOutOfRange: "a number is larger than a double can be"
    case .tooDeep: "arrays and objects are nested too deeply"
    case .trailingBytes: "something follows the value"
    }
  }
}
