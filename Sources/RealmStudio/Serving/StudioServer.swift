// SPDX-License-Identifier: Apache-2.0

// Studio as the command line runs it.

#if Tools
import Foundation
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import RealmPages
import ServiceLifecycle
import UnixSignals

/// Studio: one page in the browser about some files, served to this machine alone.
package struct StudioServer: Sendable {
  private let options: StudioOptions

  package init(_ options: StudioOptions) { self.options = options }

  /// Opens the files and serves the page, until SIGINT, SIGTERM or the end of the task.
  ///
  /// - Parameter onStart: Is called with the address of the page, with its token, once it listens.
  /// - Throws: `StudioFailure` if a file cannot be opened, or the port not be listened on.
  package func run(onStart: @escaping @Sendable (String) -> Void) async throws {
    try await run(signals: [.sigint, .sigterm], onStart: onStart)
  }

  /// - Parameter signals: The signals for its end.
  func run(signals: [UnixSignal], onStart: @escaping @Sendable (String) -> Void) async throws {
    var random = SystemRandomNumberGenerator()
    let service = try StudioService(options, random: &random)
    try await service.follow()
    let token = service.access.token
    let responder = PageResponder(service)
    var logger = Logger(label: "OpenRealm Studio") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = .error
    let listener = HTTP1Channel(responder: { request, writer, channel in
      try await responder.respond(request, writer, channel)
    }).server(
      configuration: ServerConfiguration(
        address: .hostname("127.0.0.1", port: options.port), serverName: nil),
      onServerRunning: { channel in
        onStart("http://127.0.0.1:\(channel.localAddress?.port ?? 0)/?token=\(token)")
      }, eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger)
    // The services end in the opposite order: the streams of events first.
    var configuration = ServiceGroupConfiguration(
      services: [listener, StudioPresence(service: service)], gracefulShutdownSignals: signals,
      logger: logger)
    configuration.maximumGracefulShutdownDuration = .seconds(5)
    try await run(ServiceGroup(configuration: configuration))
  }

  private func run(_ group: ServiceGroup) async throws {
    // A task of its own: the end of this one is a shutdown, too, and not a cancellation.
    let running = Task { try await group.run() }
    do {
      try await withTaskCancellationHandler {
        try await running.value
      } onCancel: {
        Task { await group.triggerGracefulShutdown() }
      }
    } catch let error as IOError where error.errnoCode == EADDRINUSE {
      throw StudioFailure(
        409, "Another program listens on port \(options.port).",
        remedy: "Choose another with --port, or 0 for any that is free.")
    } catch let error as IOError where error.errnoCode == EACCES {
      throw StudioFailure(
        403, "Listening on port \(options.port) is not allowed.",
        remedy: "Choose a port above 1023 with --port, or 0 for any that is free.")
    }
  }
}
#endif
