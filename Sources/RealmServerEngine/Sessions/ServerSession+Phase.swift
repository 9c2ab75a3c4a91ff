// SPDX-License-Identifier: Apache-2.0

// The phases of a session. What exists only in a phase is in its case.

import RealmSyncProtocol

extension ServerSession {
  /// How far the session is. Each request looks at it, so its large parts are behind a reference.
  indirect enum Phase {
    /// BIND is awaited, or who has sent it has no right.
    case unbound
    /// The realm is being opened, or could not be.
    case opening(Subject)
    /// IDENT is awaited.
    case bound(Bound)
    /// The session takes the file, and makes its view.
    case claiming(Bound, FileIdentifier)
    case claimed(Bound, Claim)
    /// The realm is another server's, so BIND was refused.
    case elsewhere(owner: String)
    /// Another session has the file.
    case evicted
    case closed
  }

  /// Whose the session is, and what it may do.
  struct Subject {
    let user: String
    let name: RealmName
    let rights: SessionRights
    /// The number of the BIND among those of all sessions.
    let binding: UInt64
  }

  /// A session with an open realm. Each phase from here on has the same one.
  final class Bound: Sendable {
    let subject: Subject
    let opened: RealmDirectory.OpenRealm
    /// The news of the realm; nil where sessions are driven otherwise.
    let news: HeadNews.Subscription?

    init(subject: Subject, opened: RealmDirectory.OpenRealm, news: HeadNews.Subscription?) {
      self.subject = subject
      self.opened = opened
      self.news = news
    }

    var realm: ServerRealm { opened.realm }
  }

  /// A file of the session, and what its client has.
  struct Claim {
    let file: FileIdentifier
    /// The version through which compensating writes were given to the machine, to be reported.
    var reportedVersion: UInt64
    /// What the client sees; nil in partition mode.
    var view: SessionView?
  }
}
