// SPDX-License-Identifier: Apache-2.0

// The parts of an app shared by its sessions.

package import RealmSyncProtocol

/// An app of the server, as far as its sessions need it.
package struct ServerApp: Sendable {
  package let name: String
  package let realms: RealmDirectory
  package let registry: SessionRegistry
  /// New versions of realms, for sessions of connections; nil where sessions are driven otherwise.
  package var news: HeadNews?
  package var authenticator: SessionAuthenticator
  /// The way to the servers that own other realms; nil where there are none.
  package var links: (any NodeLinks)?
  /// The rules, which may change while sessions run.
  package let rules = CurrentRules()
  /// The versions that triggers have made.
  package let depths = WriteDepths()
  package let limits: SessionLimits
  package let reports: Reports

  /// Where sessions report what the operator should know.
  package struct Reports: Sendable {
    /// Takes the errors of the store; clients get no details of them.
    let failure: @Sendable (StoreError) -> Void
    /// Takes sentences about clients, perhaps many times.
    let notice: @Sendable (String) -> Void
    /// Takes the time of what sessions do.
    let measure: @Sendable (SessionWork, Duration) -> Void

    package init(
      failure: @escaping @Sendable (StoreError) -> Void = { _ in },
      notice: @escaping @Sendable (String) -> Void = { _ in },
      measure: @escaping @Sendable (SessionWork, Duration) -> Void = { _, _ in }
    ) {
      self.failure = failure
      self.notice = notice
      self.measure = measure
    }
  }

  package init(
    named name: String, realms: RealmDirectory, registry: SessionRegistry = SessionRegistry(),
    authenticator: SessionAuthenticator, limits: SessionLimits = SessionLimits(),
    reports: Reports = Reports()
  ) {
    self.name = name
    self.realms = realms
    self.registry = registry
    self.authenticator = authenticator
    self.limits = limits
    self.reports = reports
  }
}

extension ServerApp {
  /// What decides on the rights of users; nil in development mode, where each user has all. It is
  /// set before the first session.
  package var access: (any SessionAccess)? {
    get { rules.snapshot.access }
    nonmutating set { rules.set(newValue) }
  }
}

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

/// The limits of a session's messages.
package struct SessionLimits: Hashable, Sendable {
  /// A DOWNLOAD in partition mode takes no further entry once it has so many bytes.
  package var downloadByteCount: Int
  /// A part of a bootstrap or of a large round takes no further entry once it has so many bytes.
  package var bootstrapByteCount: Int
  /// A round in flexible mode that is larger is sent as a bootstrap of the active query, from
  /// protocol 14 on.
  package var roundByteCount: Int

  package init(
    downloadByteCount: Int = 128 << 10, bootstrapByteCount: Int = 1 << 20,
    roundByteCount: Int = 4 << 20
  ) {
    self.downloadByteCount = downloadByteCount
    self.bootstrapByteCount = bootstrapByteCount
    self.roundByteCount = roundByteCount
  }
}
