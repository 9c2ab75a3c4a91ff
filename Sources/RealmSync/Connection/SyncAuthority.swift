// SPDX-License-Identifier: Apache-2.0

// The user of a connection.

package import RealmSyncProtocol

/// The user of a connection: address, tokens, and their ends.
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
