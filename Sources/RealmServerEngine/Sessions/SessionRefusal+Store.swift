// SPDX-License-Identifier: Apache-2.0

// The errors of stores as clients get them.

package import RealmSyncProtocol

extension SessionRefusal {
  /// The end of a session after a failure of its realm. The client gets no details, except for a
  /// full disk: only the operator can mend it, and users ask.
  package init(_ error: StoreError) {
    switch error {
    case _ where error.isDiskFull:
      self.init(
        .sessionClosed,
        "The server's disk is full: it takes no changes until there is room. They are kept on the "
          + "device until then.")
    case .unknownFile(let file):
      self.init(.badClientFileIdent, "Unknown client file \(file.rawValue)")
    case .unreadableFile, .unreadableEntry:
      self.init(
        .badServerVersion, "The server cannot read what it has for the client",
        action: .clientReset)
    case .trimmed:
      self.init(.badServerVersion, "The server no longer has the changes after the client's")
    case .tooManyOpenRealms:
      self.init(.sessionClosed, "The server has too many realms open; try again later")
    case .tooManyNewRealms:
      self.init(
        .permissionDenied,
        "The user has made too many new partitions; others can be made in an hour")
    case .draining:
      self.init(.sessionClosed, "The server shuts down; another one takes the realm")
    case .fenced, .conflict, .outOfOrder, .unknownRealm, .ambiguousName, .limit, .damaged,
      .storage, .unavailable, .owned:
      self.init(.sessionClosed, "The realm is not available")
    }
  }
}
