// SPDX-License-Identifier: Apache-2.0

// The store on files of our own, and where it finds them.

package import RealmStorage
package import RealmSyncProtocol
package import RealmTables

/// Opens the files of realms.
package protocol RealmFiles: Sendable {
  /// Opens the file of an existing realm.
  func open(_ realm: RealmID) throws(StorageError) -> DatabaseFile

  /// Makes the file of a new realm. It has its name only once it is complete.
  func make(
    _ realm: RealmID, _ body: (DatabaseFile) throws(StorageError) -> Void
  ) throws(StorageError)

  /// Whether the realm has a file.
  func hasFile(of realm: RealmID) -> Bool

  /// The realms of an app with files, sorted.
  func realms(ofApp app: String) throws(StorageError) -> [RealmID]
}

/// Keeps each realm in a file of our own, which every tool of ours can read.
package final class EmbeddedStore: ServerStore {
  private struct State {
    var realms: [RealmID: EmbeddedRealm] = [:]
    var listeners: [Int: AsyncStream<RealmHead>.Continuation] = [:]
    var listenerCount = 0
  }

  private let files: any RealmFiles
  private let salts: SaltSource
  private let state = Locked(State())
  /// Held while a file is opened, so that no two calls make one.
  private let opening = Locked(())
  private let onProblem: @Sendable (String) -> Void

  /// - Parameter onProblem: Reports rows that cannot be read, without which all goes on.
  package init(
    _ files: any RealmFiles, salts: SaltSource = SaltSource(),
    onProblem: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.onProblem = onProblem
    self.files = files
    self.salts = salts
  }

  package nonisolated(nonsending)
    func open(_ realm: RealmName) async throws(StoreError) -> RealmHead
  {
    let id = realm.fileID
    let opened = try opening.withLock { (_) throws(StoreError) -> EmbeddedRealm in
      if let known = state.withLock({ $0.realms[id] }) {
        guard known.name == realm else { throw .ambiguousName(known.name) }
        return known
      }
      let opened = try StoreError.storing(
        EmbeddedRealm(id, named: realm, in: files, onProblem: onProblem))
      guard opened.name == realm else { throw .ambiguousName(opened.name) }
      state.withLock { $0.realms[id] = opened }
      return opened
    }
    return try StoreError.storing(opened.own())
  }

  package nonisolated(nonsending)
    func exists(_ realm: RealmName) async throws(StoreError) -> Bool
  {
    files.hasFile(of: realm.fileID)
  }

  package nonisolated(nonsending)
    func realms(ofApp app: String) async throws(StoreError) -> [RealmID]
  {
    try StoreError.storing(files.realms(ofApp: app))
  }

  package nonisolated(nonsending)
    func peek(_ realm: RealmID) async throws(StoreError) -> RealmOutline
  {
    let known = state.withLock { $0.realms[realm] }
    if let known { return try StoreError.storing(RealmOutline(of: known)) }
    return try StoreError.storing(RealmOutline(of: EmbeddedRealm(realm, in: files)))
  }

  /// Checks that the file of a realm can be read, and is that realm's.
  package static func check(
    _ realm: RealmID, in files: any RealmFiles
  ) throws(StoreError) {
    let opened = try StoreError.storing(EmbeddedRealm(realm, in: files))
    guard opened.name.fileID == realm else { throw .ambiguousName(opened.name) }
  }

  package nonisolated(nonsending)
    func close(_ realm: RealmID) async
  {
    _ = state.withLock { $0.realms.removeValue(forKey: realm) }
  }

  /// The number of files that are open.
  package var openCount: Int { state.withLock { $0.realms.count } }

  private func realm(_ id: RealmID) throws(StoreError) -> EmbeddedRealm {
    guard let realm = state.withLock({ $0.realms[id] }) else { throw .unknownRealm(id) }
    return realm
  }

  package nonisolated(nonsending)
    func append(
      to realm: RealmID, expecting version: UInt64, epoch: UInt64,
      _ build: (WriteGroup) throws(StorageError) -> Batch?
    ) async throws(StoreError) -> RealmHead?
  {
    let opened = try self.realm(realm)
    let head = try StoreError.storing(
      opened.append(expecting: version, epoch: epoch, build)
    ).get()
    if let head, head.version > version {
      for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield(head) }
    }
    return head
  }

  package nonisolated(nonsending)
    func snapshot(
      of realm: RealmID, atLeast version: UInt64
    ) async throws(StoreError) -> ObjectSnapshot
  {
    let opened = try self.realm(realm)
    let snapshot = try StoreError.storing(opened.snapshot())
    guard snapshot.head.version >= version else { throw .conflict(snapshot.head) }
    return snapshot
  }

  package nonisolated(nonsending)
    func entries(
      of realm: RealmID, in range: Range<UInt64>
    ) async throws(StoreError) -> [StoredEntry]
  {
    let opened = try self.realm(realm)
    return try StoreError.storing(opened.entries(in: range)).get()
  }

  package nonisolated(nonsending)
    func allocateFile(
      in realm: RealmID, for user: String, now: OriginTimestamp
    ) async throws(StoreError) -> ClientFile
  {
    let opened = try self.realm(realm)
    let file = try StoreError.storing(
      opened.allocateFile(for: user, salt: salts.next(), now: now)
    ).get()
    guard let file else { throw .damaged("a file was not allocated") }
    return file
  }

  package nonisolated(nonsending)
    func file(
      _ ident: FileIdentifier, in realm: RealmID
    ) async throws(StoreError) -> ClientFile?
  {
    let opened = try self.realm(realm)
    return try StoreError.storing(opened.file(ident))
  }

  package nonisolated(nonsending)
    func files(in realm: RealmID) async throws(StoreError) -> [ClientFile]
  {
    let opened = try self.realm(realm)
    return try StoreError.storing(opened.files())
  }

  package nonisolated(nonsending)
    func reciprocals(
      of ident: FileIdentifier, in realm: RealmID, after version: UInt64
    ) async throws(StoreError) -> [UInt64: [UInt8]]
  {
    let opened = try self.realm(realm)
    return try StoreError.storing(opened.reciprocals(of: ident, after: version)).get()
  }

  package nonisolated(nonsending)
    func privates(
      of ident: FileIdentifier, in realm: RealmID, after version: UInt64
    ) async throws(StoreError) -> [PrivateChange]
  {
    let opened = try self.realm(realm)
    return try StoreError.storing(opened.privates(of: ident, after: version)).get()
  }

  package func heads() -> AsyncStream<RealmHead> {
    AsyncStream { continuation in
      let number = state.withLock { state in
        state.listenerCount += 1
        state.listeners[state.listenerCount] = continuation
        return state.listenerCount
      }
      continuation.onTermination = { [weak self] _ in
        self?.state.withLock { $0.listeners[number] = nil }
      }
    }
  }
}
