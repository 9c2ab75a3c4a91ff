// SPDX-License-Identifier: Apache-2.0

// The unit of storing: the entries of versions, client files, and their records.

package import RealmSyncProtocol

/// Changes of a realm, stored together or not at all.
package struct Batch: Hashable, Sendable {
  /// The versions after the newest one, in order.
  package var entries: [StoredEntry] = []
  /// Client files in their new state. Reciprocals and private changes up to their
  /// `reciprocalBase` go with that.
  package var files: [ClientFile] = []
  /// Expired client files that are removed; their identifiers are not given again.
  package var forgotten: [FileIdentifier] = []
  package var reciprocals: [ReciprocalChange] = []
  package var privates: [PrivateChange] = []
  /// The newest version whose entry is to go; nil to keep what is there.
  package var trimsThrough: UInt64?
  /// The newest version whose entry is not to be read any more, and stays where it is; nil for
  /// none.
  package var skipsThrough: UInt64?

  package init(
    entries: [StoredEntry] = [], files: [ClientFile] = [], forgotten: [FileIdentifier] = [],
    reciprocals: [ReciprocalChange] = [], privates: [PrivateChange] = [],
    trimsThrough: UInt64? = nil, skipsThrough: UInt64? = nil
  ) {
    self.entries = entries
    self.files = files
    self.forgotten = forgotten
    self.reciprocals = reciprocals
    self.privates = privates
    self.trimsThrough = trimsThrough
    self.skipsThrough = skipsThrough
  }

  /// Whether one of its versions changes something. The others are for one client alone, which gets
  /// what they mean without news of them.
  package var hasChanges: Bool { entries.contains { !$0.changeset.isEmpty } }

  /// Why a store refuses the batch after a head; nil if its versions are in order.
  package func refusal(after head: RealmHead) -> StoreError? {
    var version = head.version
    for entry in entries {
      version += 1
      guard entry.version == version, entry.salt != 0 else {
        return .outOfOrder("version \(entry.version) follows \(version - 1)")
      }
    }
    guard version < ServerTables.versionLimit else { return .limit("a realm has no versions left") }
    if let through = trimsThrough, through > version {
      return .outOfOrder("version \(through) is trimmed before it exists")
    }
    for change in reciprocals where change.version > version {
      return .outOfOrder("version \(change.version) has a reciprocal before it exists")
    }
    return nil
  }

  /// The head once the batch is stored after another one, which has no refusal.
  package func head(after head: RealmHead) -> RealmHead {
    var newer = head
    if let last = entries.last {
      assert(last.version > head.version, "`EmbeddedRealm` 2")
      newer.version = last.version
      newer.salt = last.salt
      newer.totalByteCount = last.totalByteCount
    }
    newer.base = max(head.base, trimsThrough ?? 0, skipsThrough ?? 0)
    return newer
  }
}

/// Changes by the server for a client at a version, beside the entries of all: erasures of objects
/// that left its view, and the states of objects that entered it.
///
/// Uploads from before the client knew are merged with this too, as the client merges them, and not
/// with the entries up to the version about these objects: the client was not sent those.
package struct PrivateChange: Hashable, Sendable {
  package var file: FileIdentifier
  package var version: UInt64
  /// The time in the message; merging decides by it.
  package var timestamp: OriginTimestamp
  /// The objects of the change, whatever merging left of the changeset. In files of older servers
  /// the changeset's objects.
  package var objects: [ObjectIdentity] = []
  /// The changeset after merging. Without bytes, objects and refusal the change removes the stored
  /// one of the version.
  package var changeset: [UInt8]
  /// The report and the changes of a compensating write; nil for other changes, and where the
  /// stored one is to be kept.
  package var refusal: Refusal?

  package init(
    file: FileIdentifier, version: UInt64, timestamp: OriginTimestamp,
    objects: [ObjectIdentity] = [], changeset: [UInt8], refusal: Refusal? = nil
  ) {
    self.file = file
    self.version = version
    self.timestamp = timestamp
    self.objects = objects
    self.changeset = changeset
    self.refusal = refusal
  }

  /// The refusal of a client's writes.
  package struct Refusal: Hashable, Sendable {
    /// The last of the refused client versions.
    package var clientVersion: UInt64
    /// The changeset that undoes the writes, as it is sent; none in flexible mode, where the next
    /// round has it.
    package var sent: [UInt8] = []
    /// The objects of the refused writes; none in partition mode, where they are those of the
    /// change.
    package var objects: [ObjectIdentity] = []
    /// Those of them that are refused as they are outside of the client's view.
    package var outsideOfView: Set<ObjectIdentity> = []

    package init(
      clientVersion: UInt64, sent: [UInt8] = [], objects: [ObjectIdentity] = [],
      outsideOfView: Set<ObjectIdentity> = []
    ) {
      self.clientVersion = clientVersion
      self.sent = sent
      self.objects = objects
      self.outsideOfView = outsideOfView
    }

    /// The size of its kept part, about.
    var byteCount: Int { objects.reduce(sent.count) { $0 + $1.approximateByteCount } }
  }

  /// Whether it has nothing for merging any more.
  package var isEmpty: Bool { objects.isEmpty && changeset.isEmpty }

  /// Whether it removes the stored one of the version.
  package var isRemoval: Bool { isEmpty && refusal == nil }
}

/// The new form of an entry after merging with a client's uploads, for the client alone.
package struct ReciprocalChange: Hashable, Sendable {
  package var file: FileIdentifier
  /// The version of the entry.
  package var version: UInt64
  /// None if nothing is left of it.
  package var changeset: [UInt8]

  package init(file: FileIdentifier, version: UInt64, changeset: [UInt8]) {
    self.file = file
    self.version = version
    self.changeset = changeset
  }
}

/// The origin of a version of a realm: a changeset as it was applied, and its author.
package struct StoredEntry: Hashable, Sendable {
  package var version: UInt64
  /// A random number, to distinguish this version from a restored backup's of the same number: 63
  /// bits, never 0.
  package var salt: UInt64
  /// The author.
  package var file: FileIdentifier
  /// The version of the author's own history; 0 for the server's changes.
  package var clientVersion: UInt64
  /// The author's time, passed on unchanged.
  package var timestamp: OriginTimestamp
  /// The server's time when the version was made.
  package var committed: OriginTimestamp
  /// The size of the changeset as its author sent it.
  package var originalByteCount: Int
  /// The sum of these sizes up to this version.
  package var totalByteCount: Int
  /// The changeset after merging; none if all of it lost.
  package var changeset: [UInt8]
  /// The touched objects of the version; none in realms without views.
  package var touches: [Touch] = []

  package init(
    version: UInt64, salt: UInt64, file: FileIdentifier, clientVersion: UInt64,
    timestamp: OriginTimestamp, committed: OriginTimestamp, originalByteCount: Int,
    totalByteCount: Int, changeset: [UInt8], touches: [Touch] = []
  ) {
    self.version = version
    self.salt = salt
    self.file = file
    self.clientVersion = clientVersion
    self.timestamp = timestamp
    self.committed = committed
    self.originalByteCount = originalByteCount
    self.totalByteCount = totalByteCount
    self.changeset = changeset
    self.touches = touches
  }

  /// The part for merging.
  package var origin: ChangesetOrigin {
    ChangesetOrigin(
      version: version, remoteVersion: clientVersion, file: file, timestamp: timestamp)
  }
}

/// A client's file: its identity, its cursors, and its subscriptions.
package struct ClientFile: Hashable, Sendable {
  package var ident: FileIdentifier
  /// A random number that distinguishes this file from others of the same identifier: 63 bits,
  /// never 0.
  package var salt: UInt64
  /// The user who bound the file first; no other user may.
  package var user: String
  /// The newest integrated version of the client's history.
  package var clientVersion: UInt64 = 0
  /// The newest server version that the client has said it integrated. Reciprocals up to it are
  /// gone.
  package var reciprocalBase: UInt64 = 0
  /// The server version that the client wants kept.
  package var lockedServerVersion: UInt64 = 0
  /// The server's time of the last sign of life; 0 once the file is expired.
  package var lastSeen: OriginTimestamp
  /// The server's time of its expiry; 0 before, and where an older server has noted none.
  package var expired = OriginTimestamp(milliseconds: 0)
  /// The version with which the state ends that the client is sent in place of trimmed versions; 0
  /// if it needed none. A client below has a part of it at most.
  package var firstDownloadVersion: UInt64 = 0
  /// The version of that state. Uploads with an older base are merged with what comes after it, as
  /// all that they have in common with it is dropped.
  package var firstDownloadBase: UInt64 = 0
  /// The filters of roles that the client's view was made with (`ViewFilters`), as they are stored;
  /// no characters where there were none.
  package var filters = ""

  package init(ident: FileIdentifier, salt: UInt64, user: String, lastSeen: OriginTimestamp) {
    self.ident = ident
    self.salt = salt
    self.user = user
    self.lastSeen = lastSeen
  }

  package var isExpired: Bool { lastSeen.milliseconds == 0 }

  /// Whether this is a later state of a file, or the same: no cursor goes back.
  package func follows(_ old: ClientFile) -> Bool {
    old.salt == salt && old.clientVersion <= clientVersion
      && old.reciprocalBase <= reciprocalBase && old.lockedServerVersion <= lockedServerVersion
  }

  /// The part for a session of a user.
  package func record(for user: String) -> ServerFile {
    ServerFile(
      ident: ident, salt: salt, isOfUser: user == self.user, isExpired: isExpired,
      clientVersion: clientVersion, reciprocalBase: reciprocalBase,
      lockedServerVersion: lockedServerVersion)
  }
}
