// SPDX-License-Identifier: Apache-2.0

// The network of a test, from a server to a client alone.

import RealmSyncProtocol

/// A socket that receives nothing: the test hands messages to the connection.
protocol OutgoingSocket: MessageSocket {}

extension OutgoingSocket {
  var protocolName: String { "" }

  func receive() async throws(SocketClosed) -> [UInt8] { throw SocketClosed(.abnormal) }
}
