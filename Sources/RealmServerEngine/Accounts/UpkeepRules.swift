// SPDX-License-Identifier: Apache-2.0

// The times of unused data.

/// The times after which unused data is removed.
package struct UpkeepRules: Hashable, Sendable {
  /// After a longer absence a device has to reset, and its missing changes may go.
  package var offlineDays: Int
  /// An anonymous user without a session goes so many days after its creation.
  package var anonymousDays: Int
  /// An address without confirmation goes so many days after its registration.
  package var unconfirmedDays: Int
  /// An unused realm is closed after so long.
  package var idleMinutes: Int

  package init(
    offlineDays: Int = 60, anonymousDays: Int = 90, unconfirmedDays: Int = 7, idleMinutes: Int = 10
  ) {
    self.offlineDays = offlineDays
    self.anonymousDays = anonymousDays
    self.unconfirmedDays = unconfirmedDays
    self.idleMinutes = idleMinutes
  }

  static func milliseconds(days: Int) -> UInt64 { UInt64(days) * 24 * 3600 * 1000 }
}
