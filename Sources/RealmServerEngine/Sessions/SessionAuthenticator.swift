// SPDX-License-Identifier: Apache-2.0

// The check of a session's user.

package import RealmSyncProtocol

/// Finds the user of a BIND.
package struct SessionAuthenticator: Sendable {
  private let body: @Sendable (ClientMessage.Bind) async throws(SessionRefusal) -> String

  /// - Parameter body: Returns the identifier of the user, or throws the last error of the session.
  package init(
    _ body: @escaping @Sendable (ClientMessage.Bind) async throws(SessionRefusal) -> String
  ) {
    self.body = body
  }

  /// The identifier of the user.
  package func user(of bind: ClientMessage.Bind) async throws(SessionRefusal) -> String {
    try await body(bind)
  }
}
