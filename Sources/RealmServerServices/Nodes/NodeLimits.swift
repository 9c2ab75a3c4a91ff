// SPDX-License-Identifier: Apache-2.0

// The limits of connections between servers.

#if Server
package import RealmSyncProtocol

/// What a connection between two servers may take.
package struct NodeLimits: Hashable, Sendable {
  /// The bytes of a frame: what is longer comes in several ones, between those of others.
  package var frameByteCount = 256 << 10
  /// The bytes of a message.
  package var messageByteCount = 64 << 20
  /// The messages of several frames that are under way at a time, in one direction.
  package var partedCount = 8
  /// The bytes that wait to be sent, above which no download is made.
  package var outgoingByteCount = 16 << 20
  /// The bytes of requests that are being carried out, above which no message is read.
  package var requestByteCount = 64 << 20
  /// The sessions of a connection.
  package var sessionCount = 100_000
  /// The time between two signs of life.
  package var pause: Milliseconds = 5_000
  /// The time without a sign of life after which the other side is gone.
  package var silence: Milliseconds = 15_000
  /// The time in which the other side has to take a frame.
  package var stall: Milliseconds = 60_000
  /// The time in which the owner has to reply to a request of a session. A request may wait for its
  /// turn, and a first download of a large realm takes minutes.
  package var reply: Milliseconds = 600_000
  /// The time in which the owner has to answer a call. What a call does has a limit of its own,
  /// `DocumentLimits.time`; it may have to wait for others.
  package var answer: Milliseconds = 120_000
  /// The time for the first message of the other side.
  package var greeting: Milliseconds = 10_000
  /// The time after which a connection without sessions and calls is closed.
  package var idle: Milliseconds = 60_000
  /// The pause after a failed connection, the first one and the longest.
  package var retryMin: Milliseconds = 250
  package var retryMax: Milliseconds = 10_000

  package init() {}
}

/// Takes what connections between servers do, to be counted.
package struct NodeMeter: Sendable {
  /// Takes the sessions that begin to be forwarded, or end if the number is negative.
  package var sessions: @Sendable (Int) -> Void
  package var sent: @Sendable (_ byteCount: Int) -> Void
  package var received: @Sendable (_ byteCount: Int) -> Void

  package init(
    sessions: @escaping @Sendable (Int) -> Void = { _ in },
    sent: @escaping @Sendable (_ byteCount: Int) -> Void = { _ in },
    received: @escaping @Sendable (_ byteCount: Int) -> Void = { _ in }
  ) {
    self.sessions = sessions
    self.sent = sent
    self.received = received
  }
}
#endif
