// SPDX-License-Identifier: Apache-2.0

// Streams and transactions, ended before the listener.

#if Tools
import ServiceLifecycle

/// Keeps the streams of events alive, and ends them, and open transactions, at the shutdown.
struct StudioPresence: Service {
  let service: StudioService

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        service.events.ping()
        try? await Task.sleep(for: .seconds(20))
      }
    }
    await service.end()
  }
}
#endif
