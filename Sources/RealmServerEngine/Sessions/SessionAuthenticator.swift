// SPDX-License-Identifier: Apache-2.0

// The check of who opens a session.

package import RealmSyncProtocol

/// Finds the user of a BIND.
package struct SessionAuthenticator: Sendable {
  private let body: @Sendable (ClientMessage.Bind) async throws(SessionRefusal) -> String

  /// - Parameter body: Returns the identifier of the user, or throws the error that the session
  ///   ends with.
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
