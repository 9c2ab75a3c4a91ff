// SPDX-License-Identifier: Apache-2.0

// The last warnings and errors of the log, for an operator who looks at the server's page.
//
// Invariants:
// 1. No more than the limit are kept, each cut: clients can cause as many as they like.

#if Server
import Foundation
import Logging
import NIOConcurrencyHelpers
import RealmFormats
import RealmSyncProtocol

/// Keeps the last warnings and errors.
final class RecentNotices: Sendable {
  /// A line of the log.
  struct Notice: Hashable, Sendable {
    /// Grows by one from notice to notice.
    let number: Int
    let time: Date
    let level: Logger.Level
    let text: String

    var json: JSONValue {
      [
        "number": JSONValue(number), "time": .string(OperationTime.text(time)),
        "level": .string(level.rawValue), "text": .string(text),
      ]
    }
  }

  static let countMax = 200
  private static let textByteCountMax = 500

  private struct State {
    var notices: [Notice] = []
    var last = 0
    var errorCount = 0
  }

  private let state = NIOLockedValueBox(State())

  /// The kept notices, the newest first.
  var all: [Notice] { state.withLockedValue { $0.notices.reversed() } }

  /// The number of errors since the start.
  var errorCount: Int { state.withLockedValue { $0.errorCount } }

  func add(_ text: String, _ level: Logger.Level, at time: Date = Date()) {
    let text = text.cut(toByteCount: Self.textByteCountMax)
    state.withLockedValue { state in
      state.last += 1
      if level >= .error { state.errorCount += 1 }
      state.notices.append(Notice(number: state.last, time: time, level: level, text: text))
      if state.notices.count > Self.countMax { state.notices.removeFirst() }
    }
  }

  /// A logger with the handler of another one, whose warnings and errors are kept, too.
  func following(_ logger: Logger) -> Logger {
    var logger = logger
    logger.handler = MultiplexLogHandler([logger.handler, Handler(notices: self)])
    return logger
  }

  private struct Handler: LogHandler {
    let notices: RecentNotices
    var logLevel = Logger.Level.warning
    var metadata = Logger.Metadata()
    var metadataProvider: Logger.MetadataProvider?

    init(notices: RecentNotices) { self.notices = notices }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      guard event.level >= .warning else { return }
      notices.add("\(event.message)", event.level)
    }
  }
}
#endif
