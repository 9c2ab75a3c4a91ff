// SPDX-License-Identifier: Apache-2.0

// The answer to a login.

/// The answer of a login for a client.
package struct LoginResult: Hashable, Sendable {
  package var accessToken: String
  package var refreshToken: String
  package var account: String
  package var device: String
}
