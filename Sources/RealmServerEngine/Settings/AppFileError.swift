// SPDX-License-Identifier: Apache-2.0

// The errors of reading `app.json` and `schema.json`.

package import RealmFormats

/// A mistake in one of the files of an app, in words for its author.
package struct AppFileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong; of rules without the words that it is a rule's mistake.
  package let reason: String
  private let isOfRules: Bool
  /// The members and elements on the way to the mistake.
  let path: [JSONStep]
  /// From 1; nil if the whole file is meant.
  package private(set) var line: Int?
  /// In characters, from 1.
  package private(set) var column: Int?

  /// - Parameter message: What is wrong, as the end of a sentence about the file.
  package init(_ message: String, at path: [JSONStep] = []) {
    reason = message
    isOfRules = false
    self.path = path
  }

  /// A mistake in a rule.
  package init(rule reason: String, at path: [JSONStep] = []) {
    self.reason = reason
    isOfRules = true
    self.path = path
  }

  /// The error of bytes without JSON syntax.
  init(_ error: JSONError, in bytes: [UInt8]) {
    self.init("is not JSON: \(error)")
    switch error {
    case .unexpectedByte(let offset):
      (line, column) = JSONLocator.place(of: offset, in: bytes)
    case .truncated: (line, column) = JSONLocator.place(of: bytes.count, in: bytes)
    default: break
    }
  }

  /// What is wrong, as the end of a sentence about the file.
  package var message: String {
    isOfRules ? "has a mistake in its rules: \(reason)" : reason
  }

  /// What `body` makes of the JSON of a file; an error of either gets its line and column.
  package static func reading<R>(
    _ bytes: [UInt8], _ body: (JSONValue) throws(AppFileError) -> R
  ) throws(AppFileError) -> R {
    let json: JSONValue
    do throws(JSONError) {
      json = try JSONParser.parse(bytes)
    } catch {
      throw AppFileError(error, in: bytes)
    }
    do throws(AppFileError) {
      return try body(json)
    } catch {
      throw error.located(in: bytes)
    }
  }

  private func located(in bytes: [UInt8]) -> AppFileError {
    guard !path.isEmpty else { return self }
    var error = self
    (error.line, error.column) = JSONLocator.position(of: path, in: bytes)
    return error
  }

  package var description: String {
    guard let line, let column else { return message }
    return "\(message) (line \(line), column \(column))"
  }
}
