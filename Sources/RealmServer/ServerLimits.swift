// SPDX-License-Identifier: Apache-2.0

// How much one user or address may have of a server.

#if Server
/// The limits of users and addresses.
struct ServerLimits: Hashable, Sendable {
  /// The sockets that a user of an app may have open at a time, on all devices together.
  var socketsPerUser = 1_000
  /// The anonymous users that an address may make in a minute.
  var anonymousLoginsPerMinute = 100
}
#endif
