// SPDX-License-Identifier: Apache-2.0

// How many realms a server has open, and how many users may make.

/// The limits of the realms of an app.
package struct RealmLimits: Hashable, Sendable {
  /// The realms that are open at a time. Of those that are not used, the one that was left first is
  /// closed for another.
  package var openMax: Int
  /// The realms that one user may make in an hour.
  package var newPerHour: Int

  package init(openMax: Int = 2_000, newPerHour: Int = 200) {
    self.openMax = openMax
    self.newPerHour = newPerHour
  }
}
