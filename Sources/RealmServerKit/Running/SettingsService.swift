// SPDX-License-Identifier: Apache-2.0

// Follows the settings that servers share.

#if Server
import Logging
import ServiceLifecycle

/// Takes the settings that other servers have changed, while the server runs.
struct SettingsService: Service {
  private static let pause = Duration.seconds(1)

  let settings: SharedSettings
  let files: AppFiles
  let logger: Logger

  func run() async throws {
    let news = settings.news()
    await cancelWhenGracefulShutdown {
      for await _ in news {
        // The database or the disk may have failed.
        while await !files.pull(), !Task.isCancelled { try? await Task.sleep(for: Self.pause) }
      }
    }
  }
}
#endif
