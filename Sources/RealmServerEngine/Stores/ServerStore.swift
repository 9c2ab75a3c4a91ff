// SPDX-License-Identifier: Apache-2.0

// The contract of the places where realms are kept, and its errors.

package import RealmStorage
package import RealmSyncProtocol
package import RealmTables

/// Keeps realms: their objects, histories and client files.
///
/// All calls of a store and of its realms run on the executor of their caller and may block it, so
/// callers bring a thread of their own (`ThreadExecutor`).
package protocol ServerStore: Sendable {
  /// Opens a realm, made if it is new.
  nonisolated(nonsending)
    func open(_ realm: RealmName) async throws(StoreError) -> any RealmStore

  /// Whether a realm was made; nothing is opened for it.
  nonisolated(nonsending)
    func exists(_ realm: RealmName) async throws(StoreError) -> Bool

  /// The realms of an app.
  nonisolated(nonsending)
    func realms(ofApp app: String) async throws(StoreError) -> [RealmID]

  /// The contents of a realm, open or not; it gets no owner by this.
  nonisolated(nonsending)
    func peek(_ realm: RealmID) async throws(StoreError) -> RealmOutline

  /// New heads of the realms of an app, or of all realms, for waking waiting sessions; they may
  /// repeat and be late, and are never the only truth. One whose versions change nothing, as those
  /// for the query of one client do not, may be left out. Apps with very long names may get those
  /// of each other.
  func heads(ofApp app: String?) -> AsyncStream<RealmHead>

  /// New heads of the realms of an app, also of those that only other servers have open.
  func allHeads(ofApp app: String) -> AsyncStream<RealmHead>
}

extension ServerStore {
  /// New heads of all realms.
  package func heads() -> AsyncStream<RealmHead> { heads(ofApp: nil) }

  /// All servers that have realms of the store open are this one.
  package func allHeads(ofApp app: String) -> AsyncStream<RealmHead> { heads(ofApp: app) }
}

/// One open realm of a store.
package protocol RealmStore: Sendable {
  /// Makes the caller the owner from now on.
  ///
  /// - Throws: `StoreError.owned` while the owner is another server that still renews its lease.
  nonisolated(nonsending) func own() async throws(StoreError) -> RealmHead

  /// The owner, if that is another server.
  nonisolated(nonsending) func otherOwner() async throws(StoreError) -> String?

  /// The newest head that this server knows.
  nonisolated(nonsending) func head() async throws(StoreError) -> RealmHead

  /// The objects of the newest version of the store, also if another server has made it.
  nonisolated(nonsending) func newest() async throws(StoreError) -> RealmSnapshot

  /// Gives up what the store keeps for the realm. No call follows.
  nonisolated(nonsending) func close() async

  /// Appends the changes of `build`. It gets the objects of the newest version and carries out the
  /// new entries in them. All of it is stored together, or nothing; it is durable when this
  /// returns.
  ///
  /// The changesets of the entries say all that `build` does to classes: a store that several
  /// servers share makes the objects of the others from them. (An import, which has no changesets,
  /// needs the embedded store.)
  ///
  /// - Parameters:
  ///   - version: The version before the new ones.
  ///   - epoch: The caller's, who has to be the owner still.
  ///   - build: Returns nil for nothing to be changed.
  /// - Returns: The new head; nil if nothing was changed.
  nonisolated(nonsending)
    func append(
      expecting version: UInt64, epoch: UInt64,
      _ build: (WriteGroup) throws(StorageError) -> Batch?
    ) async throws(StoreError) -> RealmHead?

  /// The objects of the given version or a later one.
  nonisolated(nonsending)
    func snapshot(atLeast version: UInt64) async throws(StoreError) -> RealmSnapshot

  /// The existing entries of a range of versions.
  ///
  /// - Throws: `StoreError.trimmed` if entries of the range were there and are no more.
  nonisolated(nonsending)
    func entries(in range: Range<UInt64>) async throws(StoreError) -> [StoredEntry]

  /// Makes a client file; it is durable when this returns.
  nonisolated(nonsending)
    func allocateFile(for user: String, now: OriginTimestamp) async throws(StoreError) -> ClientFile

  /// A client file; nil if it was never made.
  nonisolated(nonsending)
    func file(_ ident: FileIdentifier) async throws(StoreError) -> ClientFile?

  /// All client files.
  nonisolated(nonsending) func files() async throws(StoreError) -> [ClientFile]

  /// The entries after a version whose form for a client is another than in the history.
  nonisolated(nonsending)
    func reciprocals(
      of ident: FileIdentifier, after version: UInt64
    ) async throws(StoreError) -> [UInt64: [UInt8]]

  /// The private changes of a client after a version, in the order of their versions.
  nonisolated(nonsending)
    func privates(
      of ident: FileIdentifier, after version: UInt64
    ) async throws(StoreError) -> [PrivateChange]
}

extension RealmStore {
  // A store that no other server has knows everything.

  package nonisolated(nonsending) func otherOwner() async throws(StoreError) -> String? { nil }

  package nonisolated(nonsending) func head() async throws(StoreError) -> RealmHead {
    try await snapshot(atLeast: 0).head
  }

  package nonisolated(nonsending) func newest() async throws(StoreError) -> RealmSnapshot {
    try await snapshot(atLeast: 0)
  }
}

// MARK: Errors

/// The failure of a store.
package enum StoreError: ErrorAboveStorage, Hashable, Sendable {
  /// Another owner has opened the realm since: all sessions of this one have to go. Where an append
  /// throws this, it may have come to be before.
  case fenced
  /// The newest version is another one than expected.
  case conflict(RealmHead)
  /// A version or cursor would go back, or skip a number (rule SY6).
  case outOfOrder(String)
  /// The realm is not open any more.
  case unknownRealm(RealmID)
  /// The client file was never allocated.
  case unknownFile(FileIdentifier)
  /// Another realm has the same place.
  case ambiguousName(RealmName)
  /// A requested entry is trimmed.
  case trimmed(through: UInt64)
  /// A limit of the store.
  case limit(String)
  /// The entry of a version cannot be read; later ones can.
  case unreadableEntry(version: UInt64, String)
  /// The rows of one client cannot be read.
  case unreadableFile(FileIdentifier, String)
  /// The stored rows make no sense.
  case damaged(String)
  /// The database below.
  case storage(StorageError)
  /// As many realms are open as may be, and all of them are in use.
  case tooManyOpenRealms
  /// A user has made as many realms as one may in an hour.
  case tooManyNewRealms
  /// The store does not answer. Where an append throws this, it may have come to be: the next
  /// snapshot says whether it has.
  case unavailable(String)

  /// The owner of the realm is another server, which has this name.
  case owned(by: String)
  /// The realm has no owner, and this server is about to end and becomes none.
  case draining

  /// Whether the realm has to be opened again before it can be used.
  package var needsReopening: Bool {
    switch self {
    // An owner finds another version than the one that it made if the database went back.
    case .fenced, .unknownRealm, .conflict, .storage(.addressSpaceExhausted), .storage(.poisoned):
      true
    default: false
    }
  }

  package var isDiskFull: Bool {
    if case .storage(let error) = self { error.isDiskFull } else { false }
  }
}

extension StoreError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .storage(let error) where error.isDiskFull: "The disk is full. \(error)"
    case .storage(let error): error.description
    case .fenced: "Another owner has opened the realm since."
    case .conflict: "The realm has a newer version than was expected."
    case .outOfOrder(let reason): "A version or cursor is out of order: \(reason)"
    case .unknownRealm(let realm): "The realm \(realm.rawValue) is not open any more."
    case .unknownFile(let file): "The client file \(file.rawValue) is unknown."
    case .ambiguousName(let name): "Another realm has the place of \(name)."
    case .trimmed(let version): "The entries through version \(version) are trimmed."
    case .limit(let reason): "A limit is reached: \(reason)"
    case .unreadableEntry(let version, let reason):
      "The entry of version \(version) cannot be read: \(reason)"
    case .unreadableFile(let file, let reason):
      "What is stored for the client file \(file.rawValue) cannot be read: \(reason)"
    case .tooManyOpenRealms: "As many realms are open as may be, and all of them are in use."
    case .tooManyNewRealms: "The user has made as many realms as one may in an hour."
    case .damaged(let reason): "What is stored is damaged: \(reason)"
    case .unavailable(let reason): "The store does not answer: \(reason)"
    case .draining: "The server is about to end, and takes no realm any more."
    case .owned(let node): "The owner of the realm is another server: \(node)"
    }
  }
}
