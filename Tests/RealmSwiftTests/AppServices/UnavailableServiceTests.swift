// SPDX-License-Identifier: Apache-2.0

// Services that are declared only say so.

#if Sync
import Foundation
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import Testing

@testable import RealmSwift

struct UnavailableServiceTests {
  private func user() async throws -> User {
    try await MemoryApp().device("first").login(credentials: .anonymous)
  }

  private func isRefused<R>(_ body: () async throws -> R) async {
    do {
      _ = try await body()
      Issue.record("a service that is not there answered")
    } catch AppError.notCallable {
    } catch {
      Issue.record("\(error)")
    }
  }

  /// The error with which a call with a block ends.
  private func error(
    _ call: (@escaping @Sendable ((any Error)?) -> Void) -> Void
  ) async -> (any Error)? {
    await withCheckedContinuation { continuation in
      call { continuation.resume(returning: $0) }
    }
  }

  @Test func pushMessages() async throws {
    let user = try await user()
    let push = App(user.app).pushClient(serviceName: "gcm")
    #expect(push.serviceName == "gcm")
    await isRefused { try await push.registerDevice(token: "t", user: user) }
    await isRefused { try await push.deregisterDevice(user: user) }
    let errors = [
      await error { push.registerDevice(token: "t", user: user, completion: $0) },
      await error { push.deregisterDevice(user: user, completion: $0) },
    ]
    #expect(errors.allSatisfy { ($0 as? AppError)?.code == .notCallable })
  }
}
#endif
