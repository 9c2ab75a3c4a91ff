// SPDX-License-Identifier: Apache-2.0

// Log functions of an app's own.

#if Sync
import RealmStorage
import TestExtensions
import Testing

@testable import RealmSwift

struct SyncLoggerTests {
  @available(*, deprecated)
  @Test func messagesUpToTheLevelReachTheAppsLogger() throws {
    let manager = try MemoryApp().device("first").syncManager
    expectEqual(manager.logLevel, .info)
    expectTrue(manager.logger == nil)
    let messages = Locked<[String]>([])
    manager.logger = { level, message in messages.withLock { $0.append("\(level): \(message)") } }
    manager.log(.info, "a")
    manager.log(.detail, "b")
    manager.logLevel = .error
    manager.log(.warn, "c")
    // An error without a handler is logged.
    manager.report(SyncError(.serverWarning, "d"), nil)
    let all = messages.withLock { $0 }
    expectEqual(all.count, 2)
    expectEqual(all.first, "info: a")
    expectEqual(all.last?.hasPrefix("error: Session of '\(manager.appID)'"), true)
    manager.logger = nil
    manager.log(.error, "e")
    expectEqual(messages.withLock { $0.count }, 2)
  }
}
#endif
