// SPDX-License-Identifier: Apache-2.0

// The signal SIGHUP.

#if Server
import RealmServerKit
import ServiceLifecycle
import UnixSignals

/// Reads certificates, keys of tokens and the files of apps again at SIGHUP; the server goes on.
struct HangupService: Service {
  let server: RealmServer

  func run() async throws {
    for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
      _ = await server.reload()
    }
  }
}
#endif
