// SPDX-License-Identifier: Apache-2.0

// Commands and answers of the protocol, for tests.

/// A command from a client, or the server's answer to it.
package struct TestCommand: Hashable, Sendable {
  package var session: UInt64
  package var request: UInt64
  /// A JSON document.
  package var body: String

  package init(session: UInt64, request: UInt64, body: String) {
    self.session = session
    self.request = request
    self.body = body
  }
}
