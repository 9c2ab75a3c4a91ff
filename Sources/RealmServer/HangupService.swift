// SPDX-License-Identifier: Apache-2.0

// The signal SIGHUP, with which certificates are read again.

#if Server
import ServiceLifecycle
import UnixSignals

/// Reads certificates again at SIGHUP, which does not end the server.
struct HangupService: Service {
  let certificates: ServerCertificates?

  func run() async throws {
    for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
      certificates?.reload()
    }
  }
}
#endif
