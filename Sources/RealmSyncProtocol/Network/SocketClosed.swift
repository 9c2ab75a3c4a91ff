// SPDX-License-Identifier: Apache-2.0

// The end of a socket.

/// Why a socket closed, or could not be opened.
package struct SocketClosed: Error, Hashable, Sendable {
  package var code: CloseCode
  package var message: String

  package init(_ code: CloseCode, _ message: String = "") {
    self.code = code
    self.message = message
  }
}
