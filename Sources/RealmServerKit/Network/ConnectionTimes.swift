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
  /// In which a client has to take each part of an answer.
  var answerPart = TimeAmount.seconds(30)
  /// Between two requests.
  var pause = Duration.seconds(120)
  /// In which connections are ended one after the other once the shutdown began: clients find
  /// another server meanwhile, and do not come to it all at once.
  var drain = Duration.zero
  /// For clients to take the last messages after the shutdown began, before sockets are cut.
  var farewell = Duration.seconds(3)
  /// For all connections together to end, after which the rest is cancelled.
  var shutdown = Duration.seconds(15)

  /// The times with the one for draining that a server was started with.
  func draining(_ options: ServerOptions) -> ConnectionTimes {
    var times = self
    if let seconds = options.drainSeconds { times.drain = .seconds(seconds) }
    return times
  }
}
#endif
