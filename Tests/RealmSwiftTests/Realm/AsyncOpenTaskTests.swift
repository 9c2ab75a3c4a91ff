// SPDX-License-Identifier: Apache-2.0

import Foundation
import RealmSwiftTestSupport
import Synchronization
import TestExtensions
import Testing

@testable import RealmSwift

/// Opening for a queue, with a callback.
@Suite(.timeLimit(.minutes(10))) struct AsyncOpenTaskTests {
  private let queue = DispatchQueue(label: "realm of a callback")

  /// What a callback on `queue` makes of what it gets.
  private func opened<Value: Sendable>(
    _ configuration: Realm.Configuration, cancelling: Bool = false,
    _ body: @escaping @Sendable (Result<Realm, any Error>) -> Value
  ) async -> Value {
    await withCheckedContinuation { continuation in
      // Nothing can be handed over before the queue goes on.
      queue.suspend()
      defer { queue.resume() }
      let task = Realm.asyncOpen(configuration: configuration, callbackQueue: queue) { result in
        dispatchPrecondition(condition: .onQueue(self.queue))
        continuation.resume(returning: body(result))
      }
      if cancelling {
        task.cancel()
        task.cancel()
      }
    }
  }

  @Test func theRealmBelongsToTheQueue() async throws {
    let file = try TemporaryRealm.ofFirstAge()
    file.becomeSecondAge(version: 1, MigrationTests.migrateAll)
    let configuration = file.configuration
    let names = await opened(configuration) { result in
      guard let realm = try? result.get() else { return ["none"] }
      let same = try? Realm(configuration: configuration, queue: queue)
      expectEqual(same, realm)
      return realm.objects(Age2.Reader.self).compactMap(\.fullName).sorted()
    }
    expectEqual(names, ["reader 1", "reader 2", "reader 3"])
  }

  @Test func errorsReachTheCallback() async throws {
    let file = try TemporaryRealm()
    file.configuration.readOnly = true
    let code = await opened(file.configuration) { result in
      guard case .failure(let error) = result else { return Realm.Error.Code?.none }
      return (error as? Realm.Error)?.code
    }
    expectEqual(code, .fileNotFound)
  }

  @Test func cancellingIsToldOnce() async throws {
    let file = try TemporaryRealm()
    let calls = Mutex(0)
    let text = await opened(file.configuration, cancelling: true) { result in
      calls.withLock { $0 += 1 }
      guard case .failure(let error) = result else { return "opened" }
      let posix = error as NSError
      return "\(posix.domain) \(posix.code)"
    }
    expectEqual(text, "\(NSPOSIXErrorDomain) \(ECANCELED)")
    // What was being opened comes to the same queue, and is dropped.
    RealmCore.openingQueue.sync {}
    queue.sync {}
    expectEqual(calls.withLock { $0 }, 1)
  }
}
