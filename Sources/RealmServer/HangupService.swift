// SPDX-License-Identifier: Apache-2.0

// The signal SIGHUP.

#if Server
import ServiceLifecycle
import UnixSignals

/// Reads certificates again at SIGHUP; the server goes on.
struct HangupService: Service {
  let certificates: ServerCertificates?

  func run() async throws {
    for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
      certificates?.reload()
    }
  }
}
#endif
