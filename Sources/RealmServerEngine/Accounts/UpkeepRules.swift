// SPDX-License-Identifier: Apache-2.0

// How long a server keeps what is not used.

/// The times after which things are removed.
package struct UpkeepRules: Hashable, Sendable {
  /// A device that was away for longer has to reset, and the changes that it lacks may go.
  package var offlineDays: Int
  /// What is known of a device that has to reset goes so many days later.
  package var expiredDays: Int
  /// An anonymous user that has no session goes so many days after it was made.
  package var anonymousDays: Int
  /// An address that was not confirmed goes so many days after its registration.
  package var unconfirmedDays: Int
  /// A realm that was not used for so long is closed.
  package var idleMinutes: Int

  package init(
    offlineDays: Int = 60, expiredDays: Int = 365, anonymousDays: Int = 90,
    unconfirmedDays: Int = 7, idleMinutes: Int = 10
  ) {
    self.offlineDays = offlineDays
    self.expiredDays = expiredDays
    self.anonymousDays = anonymousDays
    self.unconfirmedDays = unconfirmedDays
    self.idleMinutes = idleMinutes
  }

  static func milliseconds(days: Int) -> UInt64 { UInt64(days) * 24 * 3600 * 1000 }
}
