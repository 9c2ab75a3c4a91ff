// SPDX-License-Identifier: Apache-2.0

// How long a server keeps unused data.

#if Server
/// The ages of unused data at their removal.
package struct UpkeepRules: Hashable, Sendable {
  /// A device that was away for longer has to reset, and the changes that it lacks may go.
  package var offlineDays: Int
  /// The row of a device with a reset ahead goes so many days later.
  package var expiredDays: Int
  /// An anonymous user without sessions goes so many days after its first login.
  package var anonymousDays: Int
  /// An unconfirmed address goes so many days after its registration.
  package var unconfirmedDays: Int
  /// A realm without use for so long is closed.
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
#endif
