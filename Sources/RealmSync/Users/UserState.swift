// SPDX-License-Identifier: Apache-2.0

// Whether a user can do anything.

/// The state of a user, with its number in the file of users (P3 A).
package enum UserState: Int64, Hashable, Sendable {
  case loggedOut = 0
  case loggedIn = 1
  case removed = 2
}
