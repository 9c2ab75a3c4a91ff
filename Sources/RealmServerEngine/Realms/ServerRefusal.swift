// SPDX-License-Identifier: Apache-2.0

// What the server does not accept of a client.

package import RealmSyncProtocol

/// A client's message that breaks a rule. Its session ends.
package struct ServerRefusal: Error, Hashable, Sendable {
  package var code: SessionErrorCode
  package var message: String

  package init(_ code: SessionErrorCode, _ message: String) {
    self.code = code
    self.message = message
  }
}
