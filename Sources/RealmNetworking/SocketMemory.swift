// SPDX-License-Identifier: Apache-2.0

// Accounting of the bytes in sockets.

#if Sync
/// The memory for received bytes that the program has not taken.
package protocol SocketMemory: Sendable {
  /// Takes bytes. Returns false if there is no room for them.
  func take(_ byteCount: Int) -> Bool
  func giveBack(_ byteCount: Int)
}
#endif
