// SPDX-License-Identifier: Apache-2.0

// Why the server cannot run, in words for its operator.

#if Server
import RealmNetworking

/// Why a server cannot run, with one line of explanation.
public struct ServerFailure: Error, Hashable, CustomStringConvertible {
  /// The explanation. Where it names an option, it is that of `realm-server serve` for a setting.
  public let description: String

  package init(_ description: String) { self.description = description }

  /// The text of an error as a part of a sentence.
  package static func text(_ error: any Error) -> String { text(ErrorText.cause(of: error)) }

  /// A sentence as a part of another.
  package static func text(_ text: String) -> String {
    text.hasSuffix(".") ? String(text.dropLast()) : text
  }
}
#endif
