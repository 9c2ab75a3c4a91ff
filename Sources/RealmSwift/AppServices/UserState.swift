// SPDX-License-Identifier: Apache-2.0

// The states of users.

/// Whether a user can do anything.
public enum UserState: UInt, Sendable {
  case loggedOut
  case loggedIn
  /// The user is forgotten on this device.
  case removed
}
