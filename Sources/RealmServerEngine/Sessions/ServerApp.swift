// SPDX-License-Identifier: Apache-2.0

// The shared state of an app's sessions.

/// An app of the server, as far as its sessions need it.
package struct ServerApp: Sendable {
  package let name: String
  package let realms: RealmDirectory
  package let registry: SessionRegistry
  /// New versions of realms, for sessions of connections; nil where sessions are driven otherwise.
  package var news: HeadNews?
  package var authenticator: SessionAuthenticator
  package let limits: SessionLimits
  /// Takes the errors of the store; clients get no details of them.
  package let report: @Sendable (StoreError) -> Void

  package init(
    named name: String, realms: RealmDirectory, registry: SessionRegistry = SessionRegistry(),
    authenticator: SessionAuthenticator, limits: SessionLimits = SessionLimits(),
    report: @escaping @Sendable (StoreError) -> Void = { _ in }
  ) {
    self.name = name
    self.realms = realms
    self.registry = registry
    self.authenticator = authenticator
    self.limits = limits
    self.report = report
  }
}
