// SPDX-License-Identifier: Apache-2.0

// A session as its connection sees it.

package import RealmSyncProtocol

/// What carries out the effects of a session that are not the connection's.
package protocol ConnectedSession: AnyObject, Sendable {
  /// Carries out a request to the file.
  func perform(_ request: StoreRequest) async -> StoreReply

  /// Takes news: `report`, `needsReset` or `suspended`. Called on the connection, in order; must
  /// not block.
  func take(_ effect: SessionEffect)
}
