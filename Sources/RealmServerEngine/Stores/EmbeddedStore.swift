// SPDX-License-Identifier: Apache-2.0

// The store on files of our own.

import RealmStorage
package import RealmSyncProtocol
package import RealmTables

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
      let opened = try EmbeddedRealm(id, named: realm, in: files, onProblem: onProblem)
      state.withLock { $0.realms[id] = opened }
      return opened
    }
    return try opened.own()
  }

  package nonisolated(nonsending)
    func exists(_ realm: RealmName) async throws(StoreError) -> Bool
  {
    files.hasFile(of: realm.fileID)
  }

  package nonisolated(nonsending)
    func realms(ofApp app: String) async throws(StoreError) -> [RealmID]
  {
    try StoreError.storing { () throws(StorageError) in try files.realms(ofApp: app) }
  }

  package nonisolated(nonsending)
    func peek(_ realm: RealmID) async throws(StoreError) -> RealmOutline
  {
    let known = state.withLock { $0.realms[realm] }
    let opened = if let known { known } else { try EmbeddedRealm(realm, in: files) }
    return RealmOutline(
      name: opened.name, head: try opened.snapshot().head, files: try opened.files())
  }

  /// Checks that the file of a realm can be read, and is that realm's.
  package static func check(
    _ realm: RealmID, in files: any RealmFiles
  ) throws(StoreError) {
    let opened = try EmbeddedRealm(realm, in: files)
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
      _ build: (WriteGroup) throws(StoreError) -> Batch?
    ) async throws(StoreError) -> RealmHead?
  {
    let head = try self.realm(realm).append(expecting: version, epoch: epoch, build)
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
    let snapshot = try self.realm(realm).snapshot()
    guard snapshot.head.version >= version else { throw .conflict(snapshot.head) }
    return snapshot
  }

  package nonisolated(nonsending)
    func entries(
      of realm: RealmID, in range: Range<UInt64>
    ) async throws(StoreError) -> [StoredEntry]
  {
    try self.realm(realm).entries(in: range)
  }

  package nonisolated(nonsending)
    func allocateFile(
      in realm: RealmID, for user: String, now: OriginTimestamp
    ) async throws(StoreError) -> ClientFile
  {
    try self.realm(realm).allocateFile(for: user, salt: salts.next(), now: now)
  }

  package nonisolated(nonsending)
    func file(
      _ ident: FileIdentifier, in realm: RealmID
    ) async throws(StoreError) -> ClientFile?
  {
    try self.realm(realm).file(ident)
  }

  package nonisolated(nonsending)
    func files(in realm: RealmID) async throws(StoreError) -> [ClientFile]
  {
    try self.realm(realm).files()
  }

  package nonisolated(nonsending)
    func reciprocals(
      of ident: FileIdentifier, in realm: RealmID, after version: UInt64
    ) async throws(StoreError) -> [UInt64: [UInt8]]
  {
    try self.realm(realm).reciprocals(of: ident, after: version)
  }

  package nonisolated(nonsending)
    func privates(
      of ident: FileIdentifier, in realm: RealmID, after version: UInt64
    ) async throws(StoreError) -> [PrivateChange]
  {
    try self.realm(realm).privates(of: ident, after: version)
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
