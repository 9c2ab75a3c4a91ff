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
