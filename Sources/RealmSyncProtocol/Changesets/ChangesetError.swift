// SPDX-License-Identifier: Apache-2.0

// The errors of reading a changeset's bytes.

/// The defect of bytes that are no changeset.
package enum ChangesetError: Error, Hashable, Sendable {
  /// The bytes end inside of an instruction.
  case truncated
  /// An integer does not fit its type.
  case integerOutOfRange
  /// A size or an index is below zero.
  case negativeNumber
  case unknownInstruction(Int64)
  case unknownPayloadType(Int64)
  case unknownTableKind(Int64)
  case unknownCollectionKind(Int64)
  /// A flag is neither 0 nor 1.
  case badFlag(Int64)
  /// A string is defined under another index than the next unused one.
  case badStringIndex(Int64)
  /// A string is defined a second time.
  case duplicateString
  /// There are more instructions, or path elements, than the caller takes.
  case tooManyInstructions(Int)
  /// An instruction names a string without a definition before it.
  case undefinedString(UInt64)
  case invalidUTF8
  /// A string or binary is longer than 16,777,199 bytes.
  case payloadTooLong(Int)
  /// An impossible type of a primary key.
  case badKeyType(PayloadType)
  /// An impossible type of a column.
  case badColumnType(PayloadType)
  /// The keys of a dictionary column are no strings.
  case badDictionaryKeyType(PayloadType)
  /// The type is no type of a value.
  case badPayloadType(PayloadType)
  /// The path of a list instruction does not end in an index.
  case pathWithoutIndex
  /// A path element is a number below -1.
  case badPathElement(Int64)
  /// The nanoseconds of a timestamp have another sign than its seconds, or are a second or more.
  case badTimestamp
  /// A decimal has an exponent or coefficient beyond its 128 bits.
  case badDecimal
}
