// SPDX-License-Identifier: Apache-2.0

// How much one user or address may have of a server.

#if Server
import RealmServerEngine

/// The limits of users and addresses.
struct ServerLimits: Hashable, Sendable {
  /// The most open sockets of a user of an app, on all devices together.
  var socketsPerUser = 1_000
  /// The most open sockets of an address.
  var socketsPerAddress = 10_000
  /// The most anonymous users an address may make in a minute.
  var anonymousLoginsPerMinute = 100
  /// The most open realms of an app.
  var openRealms = RealmLimits().openMax
  /// How long the server keeps what is not used.
  var upkeep = UpkeepRules()
  /// The most partitions a user of an app may make in an hour.
  var newPartitionsPerHour = RealmLimits().newPerHour
  /// The registrations and requests for mails of an address in a minute.
  var registrationsPerMinute = 30
  /// The most memory for clients, in MiB.
  var memory = 512
  /// The limits of calls about documents.
  var documents = DocumentLimits()

  var requests: RequestLimits {
    var limits = RequestLimits()
    limits.anonymousLogins = anonymousLoginsPerMinute
    limits.registrations = registrationsPerMinute
    return limits
  }
}
#endif
