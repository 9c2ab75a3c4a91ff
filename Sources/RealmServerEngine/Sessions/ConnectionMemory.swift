// SPDX-License-Identifier: Apache-2.0

// The memory of the server as a connection needs it.

/// What one connection may take of the memory that all of them share.
package protocol ConnectionMemory: Sendable {
  /// Notes how many bytes of messages the connection holds: those that wait for its sessions or are
  /// being integrated, and those that wait for the socket. They are there, so they are not refused.
  ///
  /// - Returns: Whether the memory is tight, so that the connection should take no more before it
  ///   has given some back.
  func hold(_ byteCount: Int) -> Bool

  /// Takes room for a message that is about to be made. Returns false if there is none.
  func reserve(_ byteCount: Int) -> Bool

  /// Gives back reserved room.
  func release(_ byteCount: Int)

  /// Returns when there may be room again, or the connection has ended.
  func waitForRoom(_ byteCount: Int) async

  /// Finds room for what an UPLOAD of a session unpacks to, which is counted apart: what clients
  /// hold does not keep it from being found, and it does not keep them from reading. Uploads of a
  /// user get room in their order.
  ///
  /// - Parameters:
  ///   - session: Its name in the connection. It has no other room.
  ///   - isFound: Is called once, possibly at once, unless the room is given back before.
  func takeUploadRoom(
    _ byteCount: Int, for session: UInt64, isFound: @escaping @Sendable () -> Void)

  /// Gives the room of a session back, if it has some, or ends its wait for it.
  func giveUploadRoomBack(of session: UInt64)

  /// Ends all waits of the connection, and those to come.
  func end()
}

/// Memory without a limit.
package struct UnlimitedMemory: ConnectionMemory {
  package init() {}

  package func hold(_ byteCount: Int) -> Bool { false }
  package func reserve(_ byteCount: Int) -> Bool { true }
  package func release(_ byteCount: Int) {}
  package func waitForRoom(_ byteCount: Int) async {}

  package func takeUploadRoom(
    _ byteCount: Int, for session: UInt64, isFound: @escaping @Sendable () -> Void
  ) { isFound() }

  package func giveUploadRoomBack(of session: UInt64) {}

  package func end() {}
}
