// SPDX-License-Identifier: Apache-2.0

// The errors of reading extended JSON.

/// The defect that makes JSON no extended JSON.
package enum BSONError: Error, Hashable, Sendable {
  case json(JSONError)
  /// The object of a key like `$oid` has not the value that the key needs, or other keys.
  ///
  /// - Parameter path: Where the object is, as `[0].query._id`; empty for the outermost value.
  case badValue(key: String, path: String)

  /// The most characters of a key in a path.
  private static let keyLengthMax = 40

  /// The error of a member, as its document has it.
  func inside(key: String) -> BSONError {
    guard case .badValue(let wrapper, let path) = self else { return self }
    let isContinued = !path.isEmpty && !path.hasPrefix("[")
    let step = String(String.UnicodeScalarView(key.unicodeScalars.prefix(Self.keyLengthMax)))
    return .badValue(key: wrapper, path: step + (isContinued ? "." : "") + path)
  }

  /// The error of an element, as its array has it.
  func inside(index: Int) -> BSONError {
    guard case .badValue(let wrapper, let path) = self else { return self }
    let isContinued = !path.isEmpty && !path.hasPrefix("[")
    return .badValue(key: wrapper, path: "[\(index)]" + (isContinued ? "." : "") + path)
  }

  /// What is wrong with a value, and where it is; nil for a mistake in the JSON.
  package var valueProblem: String? {
    guard case .badValue(let key, let path) = self else { return nil }
    return (path.isEmpty ? "the value" : "'\(path)'") + " is no \(key)"
  }
}

extension BSONError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .json(let error): error.description
    case .badValue: valueProblem ?? ""
    }
  }
}
