// SPDX-License-Identifier: Apache-2.0

// How much one user or address may have of a server.

#if Server
import RealmServerEngine
package import RealmServerServices

/// The limits of users and addresses.
package struct ServerLimits: Hashable, Sendable {
  /// The limits of a server whose operator names none.
  package static let standard = ServerLimits()

  /// The most open sockets of a user of an app, on all devices together.
  package var socketsPerUser = 1_000
  /// The most open sockets of an address.
  package var socketsPerAddress = 10_000
  /// The most anonymous users an address may make in a minute.
  package var anonymousLoginsPerMinute = 100
  /// The most open realms of an app.
  package var openRealms = RealmLimits().openMax
  /// How long the server keeps what is not used.
  package var upkeep = UpkeepRules()
  /// The most partitions a user of an app may make in an hour.
  package var newPartitionsPerHour = RealmLimits().newPerHour
  /// The registrations and requests for mails of an address in a minute.
  package var registrationsPerMinute = 30
  /// The most memory for clients, in MiB.
  package var memory = 512
  /// The limits of calls about documents.
  package var documents = DocumentLimits()

  package var requests: RequestLimits {
    var limits = RequestLimits()
    limits.anonymousLogins = anonymousLoginsPerMinute
    limits.registrations = registrationsPerMinute
    return limits
  }
}
#endif
