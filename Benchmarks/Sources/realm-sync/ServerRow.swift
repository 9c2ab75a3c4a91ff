// SPDX-License-Identifier: Apache-2.0

// One row of the measurements with a server.

#if Server
/// A measurement with a name, whose clients reach a server through sockets of the loopback address.
struct ServerRow: Sendable {
  var name: String
  /// Runs, and returns lines of results.
  var measure: @Sendable () async throws -> [String]

  static let all: [ServerRow] = [.download, .durable, .seen, .idle, .partitions]
}

extension Duration {
  var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
#endif
