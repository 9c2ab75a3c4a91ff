// SPDX-License-Identifier: Apache-2.0

// The states of users.

/// Whether a user can do anything.
public enum UserState: UInt, Sendable {
  /// The user has to log in again.
  case loggedOut
  /// The user can open realms and make calls.
  case loggedIn
  /// The user is forgotten on this device.
  case removed
}
