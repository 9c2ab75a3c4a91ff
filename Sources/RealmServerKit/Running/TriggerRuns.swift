// SPDX-License-Identifier: Apache-2.0

// The end of the triggers.

#if Server
import RealmServerEngine
import RealmServerServices
import ServiceLifecycle

/// Ends the triggers of all apps, and stores how far they have come.
struct TriggerRuns: Service {
  let apps: ServedApps

  func run() async throws {
    try? await gracefulShutdown()
    for app in apps.all { await app.triggers.stop() }
  }
}
#endif
