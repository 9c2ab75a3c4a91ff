// SPDX-License-Identifier: Apache-2.0

// The triggers of all apps, from the start of the server to its end.

#if Server
import RealmServerEngine
import ServiceLifecycle

/// Runs the triggers of the apps; those of apps that come later begin with them.
struct TriggerRuns: Service {
  let apps: ServedApps

  func run() async throws {
    for app in apps.all { await app.applyCode(of: app.file) }
    try? await gracefulShutdown()
    for app in apps.all { await app.triggers.stop() }
  }
}
#endif
