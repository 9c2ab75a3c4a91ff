// SPDX-License-Identifier: Apache-2.0

// The network as connections need it.

package import RealmSyncProtocol

/// The WebSocket of one client. What it receives goes to its `ServerConnection`.
package protocol ServerSocket: Sendable {
  /// Sends one message, and returns when the network has taken it or the socket is closed.
  func send(_ message: consuming [UInt8]) async
  /// Closes the socket after what was sent.
  func close(_ code: CloseCode, reason: String) async
}
