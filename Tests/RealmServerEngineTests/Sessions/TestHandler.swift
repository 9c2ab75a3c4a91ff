// SPDX-License-Identifier: Apache-2.0

// The realm of a test's session.

import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport

@testable import RealmServerEngine

/// A realm whose answers a test gives.
final class TestHandler: ServerRequestHandler {
  let link = Locked<ServerSessionLink?>(nil)
  let events = Locked<[String]>([])
  private let reply = Locked<ServerStoreReply>(.done)
  private let request = TestSignal()
  private let answered = TestSignal()
  private let closed = TestSignal()

  /// Answers that are given without waiting.
  let script = Locked<[ServerStoreReply]>([])
  private let requests = Locked((count: 0, waiters: [(count: Int, signal: TestSignal)]()))

  var requestCount: Int { requests.withLock { $0.count } }

  /// Waits until so many requests have come.
  func waitForRequests(_ count: Int) async {
    let signal = TestSignal()
    requests.withLock {
      if $0.count >= count { signal.give() } else { $0.waiters.append((count, signal)) }
    }
    await signal.wait()
  }

  private func countRequest() {
    let due = requests.withLock { requests in
      requests.count += 1
      let count = requests.count
      defer { requests.waiters.removeAll { $0.count <= count } }
      return requests.waiters.filter { $0.count <= count }
    }
    for waiter in due { waiter.signal.give() }
  }

  func perform(_ request: ServerStoreRequest) async -> ServerStoreReply {
    countRequest()
    let scripted = script.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    if let scripted { return scripted }
    events.withLock { $0.append("perform") }
    self.request.give()
    await answered.wait()
    events.withLock { $0.append("done") }
    return reply.withLock { $0 }
  }

  let held = Locked(0)
  var heldByteCount: Int { held.withLock { $0 } }

  func end() {}

  func close() async {
    events.withLock { $0.append("close") }
    closed.give()
  }

  func answer(_ reply: ServerStoreReply) {
    self.reply.withLock { $0 = reply }
    answered.give()
  }

  func waitForRequest() async { await request.wait() }
  func waitUntilClosed() async { await closed.wait() }
}
