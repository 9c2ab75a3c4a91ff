// SPDX-License-Identifier: Apache-2.0

// Errors of clients in the log: once a minute for each text, as clients repeat them, and hostile
// ones could fill the disk.

#if Server
import Logging
import NIOConcurrencyHelpers
import RealmSyncProtocol

/// Logs each notice once in a minute, and no more than a hundred different ones.
final class NoticeLog: Sendable {
  private static let pause: Milliseconds = 60_000
  private static let textCountMax = 100
  private static let textByteCountMax = 300

  private let logger: Logger
  private let now: @Sendable () -> Milliseconds
  private let times = NIOLockedValueBox<[String: Milliseconds]>([:])

  init(_ logger: Logger, now: @escaping @Sendable () -> Milliseconds) {
    self.logger = logger
    self.now = now
  }

  func add(_ notice: String, as level: Logger.Level = .info) {
    let text = notice.cut(toByteCount: Self.textByteCountMax)
    let now = now()
    let isNew = times.withLockedValue { times in
      if let last = times[text], now < last + Self.pause { return false }
      if times.count >= Self.textCountMax {
        times = times.filter { now < $0.value + Self.pause }
        guard times.count < Self.textCountMax else { return false }
      }
      times[text] = now
      return true
    }
    if isNew { logger.log(level: level, "\(text)") }
  }
}
#endif
