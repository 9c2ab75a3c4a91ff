// SPDX-License-Identifier: Apache-2.0

// Why a server does not accept an IDENT.

/// The first check of an IDENT that failed.
package enum IdentDefect: Error, Hashable, Sendable {
  case refusal(SessionRefusal)
  /// Another session of the connection has the file, which is an error of the connection.
  case boundInOtherSession
}
