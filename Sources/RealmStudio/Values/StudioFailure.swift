// SPDX-License-Identifier: Apache-2.0

// The one error of Studio, with a remedy for the reader of the page.

#if Tools
import Foundation
import RealmFormats
import RealmPages
import RealmQuery
import RealmStorage
import RealmTables

/// A request without an answer.
package struct StudioFailure: Error, Hashable, Sendable {
  /// The status of HTTP.
  package var status: Int
  package var message: String
  /// The reader's remedy; nil where the message has it.
  package var remedy: String?
  /// The character of the query in question, counted from 1.
  package var column: Int?
  /// Whether the file is damaged where it was read.
  package var isDamage = false

  init(_ status: Int, _ message: String, remedy: String? = nil, column: Int? = nil) {
    self.status = status
    self.message = message
    self.remedy = remedy
    self.column = column
  }

  /// The failure as the page gets it.
  var json: JSONValue {
    var members = [JSONMember("error", .string(message))]
    if let remedy { members.append(JSONMember("remedy", .string(remedy))) }
    if let column { members.append(JSONMember("column", .integer(Int64(column)))) }
    if isDamage { members.append(JSONMember("isDamage", .bool(true))) }
    return .object(members)
  }
}

extension StudioFailure: CustomStringConvertible {
  package var description: String { remedy.map { "\(message) \($0)" } ?? message }
}

extension StudioFailure {
  /// Any error of Studio's work, as the page gets it.
  ///
  /// - Parameter query: The text of the query bar.
  init(_ error: any Error, in query: String = "") {
    switch error {
    case let failure as StudioFailure: self = failure
    case let error as StorageError: self.init(error)
    case let error as QueryError: self.init(error, in: query)
    case let error as PathError: self.init(error)
    default: self.init(500, "\(error)")
    }
  }

  init(_ failure: PageFailure) {
    self.init(failure.status, failure.message, remedy: failure.remedy)
  }

  private init(_ error: StorageError) {
    switch error {
    case .corrupted:
      self.init(
        500, "\(error)",
        remedy: "Run 'realm check' on the file to see what is damaged, and 'realm salvage' to "
          + "copy what can be read.")
      isDamage = true
    case .formatUpgradeRequired(let path, let version):
      self.init(
        409, "'\(path)' is in format \(version), which has to be upgraded before it is written.",
        remedy: "Leave --write out to look at it, or run 'realm upgrade' on the file or on a copy.")
    case .unsupportedFormat(let path, let version):
      self.init(409, "'\(path)' is in format \(version).", remedy: error.formatRemedy)
    case .notADatabase:
      self.init(
        409, "\(error)", remedy: "For an encrypted file, give its key with --key-file.")
    case .system(_, let path, ENOENT):
      self.init(404, "There is no file '\(path)'.", remedy: "Check the path.")
    case .limitExceeded(let reason): self.init(400, reason)
    default: self.init(500, "\(error)")
    }
  }

  /// A mistake in a query, or a failure of the file.
  private init(_ error: QueryError, in query: String) {
    switch error {
    case .storage(let error): self.init(error)
    case .invalid(let text, _):
      self.init(400, text, column: error.column(in: query))
    }
  }

  /// An impossible edit.
  private init(_ error: PathError) {
    switch error {
    case .storage(let error): self.init(error)
    case .missingObject, .missingKey, .indexOutOfRange, .missingEmbeddedObject:
      self.init(409, "\(error).", remedy: "Something else changed it. Look again, then edit.")
    default: self.init(400, "\(error).")
    }
  }

  /// A missing or senseless parameter or member.
  static func malformed(_ name: String, _ expected: String) -> StudioFailure {
    StudioFailure(400, "'\(name)' should be \(expected).")
  }
}
#endif
