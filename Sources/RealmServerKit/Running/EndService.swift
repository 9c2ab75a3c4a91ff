// SPDX-License-Identifier: Apache-2.0

// A step of the shutdown.

#if Server
import ServiceLifecycle

/// Does something when the server shuts down, in the order of the services.
struct EndService: Service {
  let body: @Sendable () async -> Void

  init(_ body: @escaping @Sendable () async -> Void) { self.body = body }

  func run() async throws {
    try? await gracefulShutdown()
    await body()
  }
}
#endif
