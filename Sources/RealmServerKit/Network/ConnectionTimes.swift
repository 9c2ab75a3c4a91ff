// SPDX-License-Identifier: Apache-2.0

// How long a connection may take.

#if Server
import NIOCore

/// The time limits of a connection.
struct ConnectionTimes: Hashable, Sendable {
  /// For TLS and the head of the first request together.
  var head = TimeAmount.seconds(20)
  /// For a body.
  var body = TimeAmount.seconds(60)
  /// Between two requests.
  var pause = Duration.seconds(120)
  /// For clients to take the last messages after the shutdown began, before sockets are cut.
  var farewell = Duration.seconds(3)
  /// For all connections together to end, after which the rest is cancelled.
  var shutdown = Duration.seconds(15)
}
#endif
