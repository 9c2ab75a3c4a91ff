// SPDX-License-Identifier: Apache-2.0

// What a connection needs to know of its user.

package import RealmSyncProtocol

/// The user of a connection: address, tokens, and what becomes of them.
package protocol SyncAuthority: Sendable {
  /// The address of the newest location, with the newest access token.
  func endpoint(_ mode: SyncMode) async -> SyncEndpoint

  /// Gets a new access token. Returns whether there is one.
  func refreshToken() async -> Bool

  /// Asks for the location of the server again. Returns whether it answered.
  func refreshLocation() async -> Bool

  /// The server does not accept the user any more.
  func logOut() async
}
