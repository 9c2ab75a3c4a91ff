// SPDX-License-Identifier: Apache-2.0

// The server's number of a client's file.

/// The identifier of a file among all files of a synchronised realm.
package struct FileIdentifier: Hashable, Comparable, Sendable {
  package var rawValue: UInt64

  package init(_ rawValue: UInt64) { self.rawValue = rawValue }

  /// In a client's own history: this file.
  package static let own = FileIdentifier(0)
  /// The author of the server's own changes.
  package static let server = FileIdentifier(1)

  package static func < (left: FileIdentifier, right: FileIdentifier) -> Bool {
    left.rawValue < right.rawValue
  }
}
