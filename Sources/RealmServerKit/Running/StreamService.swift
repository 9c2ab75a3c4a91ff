// SPDX-License-Identifier: Apache-2.0

// The end of the streams of changes.

#if Server
import RealmServerEngine
import RealmServerServices
import ServiceLifecycle

/// Ends all streams when the server shuts down: their answers have no end otherwise, and the
/// listener waits for it.
struct StreamService: Service {
  let apps: ServedApps

  func run() async throws {
    try? await gracefulShutdown()
    for app in apps.all { app.api.documents?.endWatches() }
  }
}
#endif
