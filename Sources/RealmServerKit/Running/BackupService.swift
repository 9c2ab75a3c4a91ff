// SPDX-License-Identifier: Apache-2.0

// The scheduled backups of a running server. It looks at the clock now and then, as
// `UpkeepService` does.

#if Server
import Foundation
import Logging
import RealmServerEngine
import RealmServerServices
import RealmStorage
import ServiceLifecycle

/// Makes backups when they are due.
struct BackupService: Service {
  /// The time between two looks at the clock.
  private static let interval = Duration.seconds(1)

  let backups: ScheduledBackups
  let logger: Logger

  func run() async throws {
    if let text = backups.text { logger.info("\(text)") }
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        if backups.isDue { await make() }
        try? await Task.sleep(for: Self.interval)
      }
    }
  }

  /// Makes a backup on a thread of its own. It ends at the next file once the server shuts down:
  /// the end does not wait for it.
  private func make() async {
    let isWanted = Locked(true)
    let (ends, end) = AsyncStream.makeStream(of: Result<Backup.Report, ServerFailure>?.self)
    Thread.detachNewThread { [backups] in
      end.yield(backups.make { isWanted.withLock { $0 } })
      end.finish()
    }
    for await result in ends {
      switch result {
      case .success(let report)?:
        logger.info(
          "A backup with \(CountText.text(report.fileCount, "file")) was made and checked")
        for app in report.importing {
          logger.warning("The app \(app) is not in the backup: its import has not ended")
        }
      case .failure(let failure)?: logger.warning("No backup was made: \(failure)")
      case nil: break
      }
    }
    isWanted.withLock { $0 = false }
  }
}
#endif
