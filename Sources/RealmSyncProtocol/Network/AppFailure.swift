// SPDX-License-Identifier: Apache-2.0

// Why a call of an app server failed.

/// The failure of a call of an app server.
package enum AppFailure: Error, Hashable, Sendable {
  /// The server refused, and said why.
  ///
  /// - `name`: the server's name of the error, like `InvalidPassword`; nil if it gave none.
  case service(name: String?, message: String, status: Int, logURL: String?)
  /// The server answered with a status and no more.
  case status(Int)
  /// There was no answer.
  case transport(String)
  /// An answer of another kind than the call's.
  case badAnswer(String)
  /// The user is logged out, or of another app.
  case invalidUser(String)
  /// The call makes no sense as it is.
  case invalidCall(String)
  /// The users cannot be stored.
  case storage(String)
  case cancelled

  /// Whether the token of the call is not accepted.
  package var isUnauthorized: Bool {
    switch self {
    case .service(_, _, 401, _), .status(401): true
    default: false
    }
  }

  /// Whether the server does not know the user any more.
  package var isForbidden: Bool {
    switch self {
    case .service(_, _, 401...403, _), .status(401...403): true
    default: false
    }
  }
}

extension AppFailure: CustomStringConvertible {
  package var description: String {
    switch self {
    case .service(_, let message, _, _): message
    case .status(let status): "The server answered with HTTP status \(status)."
    case .transport(let message), .badAnswer(let message), .invalidUser(let message),
      .invalidCall(let message), .storage(let message):
      message
    case .cancelled: "The call was cancelled."
    }
  }
}
