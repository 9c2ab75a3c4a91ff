// SPDX-License-Identifier: Apache-2.0

// What the server has sent and a session has not looked at yet.

/// The messages of a session that wait for an answer of its file, oldest first.
struct ClientInbox: Hashable, Sendable {
  struct Message: Hashable, Sendable {
    var message: ServerMessage
    var byteCount: Int
    var jitter: UInt32
  }

  private var messages: [Message] = []
  /// The bytes of the messages, as they came.
  private(set) var byteCount = 0

  mutating func append(_ message: Message) {
    messages.append(message)
    byteCount += message.byteCount
  }

  mutating func next() -> Message? {
    guard !messages.isEmpty else { return nil }
    let message = messages.removeFirst()
    byteCount -= message.byteCount
    return message
  }
}
