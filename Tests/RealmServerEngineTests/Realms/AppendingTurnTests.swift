// SPDX-License-Identifier: Apache-2.0

// Whose turn it is to append to a realm.

import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine

struct AppendingTurnTests {
  /// Each call gets its turn, also where the one before it asks somebody on another thread
  /// (`ServerRealm` 1).
  @Test(.timeLimit(.minutes(10))) func eachCallGetsItsTurn() async throws {
    let server = try await TestServer()
    let realm = server.realm
    let running = Locked((now: 0, most: 0))
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask(priority: number % 2 == 0 ? .high : .background) {
          for _ in 0..<50 {
            _ = try? await realm.trim(kept: { () async throws(StoreError) in
              running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
              await Task.yield()
              running.withLock { $0.now -= 1 }
              return nil
            })
          }
        }
      }
    }
    expectEqual(running.withLock { $0.most }, 1)
  }
}
