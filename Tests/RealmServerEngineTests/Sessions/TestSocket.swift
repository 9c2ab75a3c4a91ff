// SPDX-License-Identifier: Apache-2.0

// The network of a test.

import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport

@testable import RealmServerEngine

/// A socket that notes what is sent.
final class TestSocket: OutgoingSocket {
  let events = Locked<[String]>([])
  private let end = TestSignal()

  func send(_ message: consuming [UInt8]) async {
    let text = String(decoding: message, as: UTF8.self)
    await Task.yield()
    events.withLock { $0.append(text) }
  }

  func close(_ code: CloseCode, reason: String) async {
    events.withLock { $0.append("close \(code.rawValue) \(reason)") }
    end.give()
  }

  func eventsUntilClosed() async -> [String] {
    await end.wait()
    return events.withLock { $0 }
  }
}
