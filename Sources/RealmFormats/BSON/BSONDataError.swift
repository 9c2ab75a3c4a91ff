// SPDX-License-Identifier: Apache-2.0

// The errors of reading BSON.

/// The defect of bytes that are no BSON document, and where it is.
package struct BSONDataError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of a defect.
  package enum Reason: Hashable, Sendable {
    /// The bytes end inside of the document.
    case truncated
    /// A document, text or binary has another length than it says.
    case badLength
    case unknownType(UInt8)
    case invalidUTF8
    /// A truth value is neither 0 nor 1.
    case badTruth
    /// Documents and arrays are inside of each other too often.
    case tooDeep
  }

  package let reason: Reason
  /// From the beginning of the document.
  package let offset: Int

  package var description: String {
    switch reason {
    case .truncated: "the document ends before its last value"
    case .badLength: "a length is wrong"
    case .unknownType(let type): "the type \(type) of a value is unknown"
    case .invalidUTF8: "a text is not UTF-8"
    case .badTruth: "a truth value is neither true nor false"
    case .tooDeep: "documents are nested too deeply"
    }
  }
}
