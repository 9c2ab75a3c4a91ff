// SPDX-License-Identifier: Apache-2.0

// The states of users.

#if Sync
/// Whether a user can do anything.
public enum UserState: UInt, Sendable {
  /// The user has to log in again.
  case loggedOut
  /// The user has tokens.
  case loggedIn
  /// The user is forgotten on this device.
  case removed
}
#endif
