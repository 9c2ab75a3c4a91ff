// SPDX-License-Identifier: Apache-2.0

// Log messages of the library, for the operator of the program.
//
// Invariants:
// 1. `wantedLevel` is the level of the shared logger: a message that is not wanted costs one
//    relaxed load, and its string is not made.
// 2. Log functions are code of the program: they are called without holding a lock.

import Logging
import RealmStorage
import Synchronization

/// Receives the messages of the library.
///
/// The shared logger passes messages from `info` on to swift-log, under the label "io.realm", which
/// writes them to standard error unless the program gives it another place. Set its level for more
/// or fewer of them, `off` for none, or make a logger of your own the shared one:
///
/// ```swift
/// Logger.shared.level = .warn
/// Logger.shared = Logger(level: .detail) { level, message in print(level, message) }
/// ```
///
/// Messages begin with their category, such as "DB: ". Opening a realm is logged at `detail`, its
/// schema, transactions and new versions at `trace`.
public final class Logger: Sendable {
  private let function: @Sendable (LogLevel, String) -> Void
  private let storedLevel: Atomic<UInt>

  private static let sharedLogger = Locked<Logger?>(nil)
  private static let firstLevel = LogLevel.info
  private static let wantedLevel = Atomic<UInt>(firstLevel.rawValue)

  /// Creates a logger.
  ///
  /// - Parameters:
  ///   - level: Less important messages are dropped.
  ///   - logFunction: Called with each message, on the thread that logs it.
  public init(
    level: LogLevel = .info, logFunction: @escaping @Sendable (LogLevel, String) -> Void
  ) {
    storedLevel = Atomic(level.rawValue)
    function = logFunction
  }

  /// The threshold: less important messages are dropped. May be set on any thread.
  public var level: LogLevel {
    get { LogLevel(rawValue: storedLevel.load(ordering: .relaxed)) ?? .off }
    set {
      storedLevel.store(newValue.rawValue, ordering: .relaxed)
      Logger.sharedLogger.withLock { shared in
        guard shared === self else { return }
        Logger.wantedLevel.store(newValue.rawValue, ordering: .relaxed)
      }
    }
  }

  /// The logger of the library. The first one passes messages to swift-log; its level is `info`.
  public static var shared: Logger {
    get {
      sharedLogger.withLock { shared in
        if let shared { return shared }
        let first = Logger.toSwiftLog()
        shared = first
        return first
      }
    }
    set {
      // The logger that it replaces is released after the lock.
      let old = sharedLogger.withLock { shared in
        defer { shared = newValue }
        wantedLevel.store(newValue.level.rawValue, ordering: .relaxed)
        return shared
      }
      _ = old
    }
  }

  private static func toSwiftLog() -> Logger {
    Logger(level: firstLevel) { level, message in
      var log = Logging.Logger(label: "io.realm")
      // The level was compared already.
      log.logLevel = .trace
      log.log(level: level.swiftLogLevel, "\(message)")
    }
  }

  /// Whether messages of a level are wanted.
  static func wants(_ level: LogLevel) -> Bool {
    level.rawValue <= wantedLevel.load(ordering: .relaxed)
  }

  /// Logs a message to the shared logger, if the message is wanted.
  @inline(__always)
  static func log(_ level: LogLevel, _ message: @autoclosure () -> String) {
    if level.rawValue <= wantedLevel.load(ordering: .relaxed) { pass(level, message()) }
  }

  @inline(never)
  private static func pass(_ level: LogLevel, _ message: String) {
    // `Logger` 2: no lock is held any more.
    let logger = shared
    if level <= logger.level { logger.function(level, "DB: " + message) }
  }
}

extension LogLevel {
  fileprivate var swiftLogLevel: Logging.Logger.Level {
    switch self {
    case .off, .fatal: .critical
    case .error: .error
    case .warn: .warning
    case .info: .info
    case .detail, .debug: .debug
    case .trace, .all: .trace
    }
  }
}
