// SPDX-License-Identifier: Apache-2.0

// Why the server cannot run, in words for its operator.

#if Server
import RealmNetworking

/// An error with one line of explanation.
package struct ServerFailure: Error, Hashable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }

  /// The text of an error as a part of a sentence.
  package static func text(_ error: any Error) -> String { text(ErrorText.cause(of: error)) }

  /// A sentence as a part of another.
  package static func text(_ text: String) -> String {
    text.hasSuffix(".") ? String(text.dropLast()) : text
  }
}
#endif
