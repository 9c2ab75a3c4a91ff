// SPDX-License-Identifier: Apache-2.0

// The upkeep of all apps: idle realms are closed every five minutes, and expired data is removed at
// the start and every hour, by the clock of the server, which tests and measurements move. Open
// realms forget every ten seconds what no client has used.

#if Server
import Logging
import RealmServerEngine
import RealmServerServices
import ServiceLifecycle

/// Cleans up while the server runs.
struct UpkeepService: Service {
  /// The time between two looks at the clock.
  private static let interval = Duration.seconds(1)
  /// The looks after which realms forget what no client has used.
  private static let forgettingPeriod = 10

  private let apps: ServedApps
  private let metrics: ServerMetrics
  private let clock: ServerClock
  private let logger: Logger

  init(_ apps: ServedApps, metrics: ServerMetrics, clock: ServerClock, logger: Logger) {
    self.apps = apps
    self.metrics = metrics
    self.clock = clock
    self.logger = logger
  }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      var cleaning = UpkeepPeriod(minutes: 60)
      var closing = UpkeepPeriod(minutes: 5)
      var lookCount = 0
      while !Task.isCancelled {
        let now = clock.now()
        if cleaning.begins(at: now) { await cleanUp() }
        if closing.begins(at: now) { await closeIdle() }
        lookCount += 1
        if lookCount % Self.forgettingPeriod == 0 {
          for app in apps.all { await app.upkeep.forgetUnused() }
        }
        try? await Task.sleep(for: Self.interval)
      }
    }
  }

  private func closeIdle() async {
    var openCount = 0
    for app in apps.all {
      await app.upkeep.closeIdle()
      openCount += await app.upkeep.openRealmCount
    }
    metrics.setOpenRealms(openCount)
  }

  private func cleanUp() async {
    for app in apps.all {
      let report = await app.upkeep.run()
      metrics.didCleanUp(report)
      for failure in report.failures {
        logger.error("The upkeep of \(app.file.id) failed for \(failure)")
      }
      logger.debug(
        """
        Upkeep of \(app.file.id): \(report.expiredFiles) client files expired, \
        \(report.forgottenFiles) expired ones removed, \(report.trimmedVersions) versions \
        trimmed, \(report.accounts.anonymousUsers) anonymous users removed
        """)
    }
  }
}
#endif
