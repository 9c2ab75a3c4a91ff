// SPDX-License-Identifier: Apache-2.0

// The network of a test, which is blocked.

import RealmSyncProtocol
import RealmSyncTestSupport

@testable import RealmServerEngine

/// A socket that takes nothing until it is opened.
final class GatedSocket: OutgoingSocket {
  let opened = TestSignal()

  func send(_ message: consuming [UInt8]) async { await opened.wait() }

  func close(_ code: CloseCode, reason: String) async {}
}
