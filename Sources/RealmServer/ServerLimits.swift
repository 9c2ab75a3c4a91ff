// SPDX-License-Identifier: Apache-2.0

// How much one user or address may have of a server.

#if Server
import RealmServerEngine

/// The limits of users and addresses.
struct ServerLimits: Hashable, Sendable {
  /// The sockets that a user of an app may have open at a time, on all devices together.
  var socketsPerUser = 1_000
  /// The sockets that an address may have open at a time.
  var socketsPerAddress = 10_000
  /// The anonymous users that an address may make in a minute.
  var anonymousLoginsPerMinute = 100
  /// The realms that an app has open at a time.
  var openRealms = RealmLimits().openMax
  /// How long is kept what nobody uses.
  var upkeep = UpkeepRules()
  /// The partitions that a user of an app may make in an hour.
  var newPartitionsPerHour = RealmLimits().newPerHour
  /// The registrations and requests for mails of an address in a minute.
  var registrationsPerMinute = 30
  /// What clients can make the server keep in memory, in MiB.
  var memory = 512

  var requests: RequestLimits {
    var limits = RequestLimits()
    limits.anonymousLogins = anonymousLoginsPerMinute
    limits.registrations = registrationsPerMinute
    return limits
  }
}
#endif
