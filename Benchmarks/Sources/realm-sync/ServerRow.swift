// SPDX-License-Identifier: Apache-2.0

// One row of the measurements with a server.

#if Server
/// A measurement with a name, whose clients reach a server through sockets of the loopback address.
struct ServerRow: Sendable {
  var name: String
  /// Runs with some options, and prints lines of results.
  var measure: @Sendable (SyncOptions, @Sendable (String) -> Void) async throws -> Void

  static let all: [ServerRow] = [
    .download, .durable, .database, .seen, .idle, .crowd, .restart, .month, .partitions,
  ]

  /// Runs for each store and mode that the options name.
  static func forEachServer(
    _ options: SyncOptions, _ arguments: [String] = [], setsClock: Bool = false,
    _ body: (MeasuredServer) async throws -> Void
  ) async throws {
    for store in options.stores {
      for mode in options.modes {
        let server = try await MeasuredServer.start(
          mode, store, arguments, setsClock: setsClock)
        defer { server.stop() }
        try await body(server)
      }
    }
  }
}

extension MeasuredServer {
  /// The store and the mode, for lines of results.
  var title: String { "\(store.rawValue), \(mode)" }
}

extension Duration {
  var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }

  /// Milliseconds with one decimal.
  var inMilliseconds: String { "\((inSeconds * 10_000).rounded() / 10)" }
}
#endif
