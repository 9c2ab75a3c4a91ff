// SPDX-License-Identifier: Apache-2.0

// What the server does not accept of a client.

/// A client's message that breaks a rule. Its session ends.
package struct ServerRefusal: Error, Hashable, Sendable {
  package var code: RefusalCode
  package var message: String

  package init(_ code: RefusalCode, _ message: String) {
    self.code = code
    self.message = message
  }
}
