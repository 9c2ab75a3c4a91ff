// SPDX-License-Identifier: Apache-2.0

// The error of asking for changes that a file does not have.

public import Foundation

/// The changes since a ``HistoryToken`` are not known.
///
/// The reader begins again: it takes ``Realm/historyToken``, and reads all objects.
public struct HistoryError: Error, Sendable {
  /// The reasons.
  public enum Code: Sendable {
    /// The file has dropped the changes, or a class and all its objects, since.
    case truncated
    /// The token is of another file, or of a version that this one lost.
    case foreignToken
  }

  /// The reason.
  public let code: Code
  /// The file; nil for realms in memory.
  public let fileURL: URL?
  private let reason: String

  init(_ code: Code, _ reason: String, _ configuration: Realm.Configuration) {
    self.code = code
    self.reason = reason
    fileURL = configuration.fileURL
  }
}

extension HistoryError: LocalizedError, CustomStringConvertible {
  /// The reason, the file, and the remedy.
  public var errorDescription: String? { description }
  /// The reason, the file, and the remedy.
  public var description: String {
    "The changes of '\(fileURL?.path ?? "a realm in memory")' are not known: \(reason) "
      + "Read all objects again, and go on from 'historyToken'."
  }
}
