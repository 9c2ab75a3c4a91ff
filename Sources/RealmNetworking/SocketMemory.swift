// SPDX-License-Identifier: Apache-2.0

// What keeps account of the bytes that sockets hold.

#if Sync
/// The memory for what a socket has received, until it is handed over.
package protocol SocketMemory: Sendable {
  /// Takes bytes. Returns false if there is no room for them.
  func take(_ byteCount: Int) -> Bool
  func giveBack(_ byteCount: Int)
}
#endif
