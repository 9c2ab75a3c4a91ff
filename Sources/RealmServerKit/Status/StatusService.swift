// SPDX-License-Identifier: Apache-2.0

// Metrics whose changes nothing reports.

#if Server
import ServiceLifecycle

/// Looks at the state of the server every few seconds.
struct StatusService: Service {
  private static let interval = Duration.seconds(10)

  let status: ServerStatus

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        await status.measure()
        try? await Task.sleep(for: Self.interval)
      }
    }
  }
}
#endif
