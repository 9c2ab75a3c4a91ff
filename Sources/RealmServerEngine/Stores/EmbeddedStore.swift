// SPDX-License-Identifier: Apache-2.0

// The store on files of our own, and where it finds them.

package import RealmDeclarations
import RealmQuery
package import RealmStorage

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
  private let files: any RealmFiles
  private let salts: SaltSource
  private let realms = Locked<[RealmID: EmbeddedRealm]>([:])
  private let listeners = HeadListeners()
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
    func open(_ realm: RealmName) async throws(StoreError) -> any RealmStore
  {
    let id = realm.fileID
    return try opening.withLock { (_) throws(StoreError) -> EmbeddedRealm in
      if let known = realms.withLock({ $0[id] }) {
        guard known.name == realm else { throw .ambiguousName(known.name) }
        return known
      }
      let opened = try StoreError.storing(
        EmbeddedRealm(
          id, named: realm, in: files, salts: salts, onProblem: onProblem,
          onHead: { [listeners] in listeners.report($0) },
          onClose: { [weak self] in self?.forget($0) })
      )
      guard opened.name == realm else { throw .ambiguousName(opened.name) }
      realms.withLock {
        assert($0[id] == nil, "a realm is opened twice")
        $0[id] = opened
      }
      return opened
    }
  }

  private func forget(_ realm: EmbeddedRealm) {
    realms.withLock { if $0[realm.id] === realm { $0[realm.id] = nil } }
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
    let known = realms.withLock { $0[realm] }
    if let known { return try StoreError.storing(RealmOutline(of: known)) }
    return try StoreError.storing(RealmOutline(of: EmbeddedRealm(realm, in: files)))
  }

  /// Checks that the file of a realm can be read, and is that realm's.
  ///
  /// - Returns: Its classes.
  package static func check(
    _ realm: RealmID, in files: any RealmFiles
  ) throws(StoreError) -> DeclaredSchema {
    let opened = try StoreError.storing(EmbeddedRealm(realm, in: files))
    guard opened.name.fileID == realm else { throw .ambiguousName(opened.name) }
    return try StoreError.storing(classes(of: opened))
  }

  private static func classes(of realm: EmbeddedRealm) throws(StorageError) -> DeclaredSchema {
    DeclaredSchema(try StoredSchema(realm.read()))
  }

  /// The number of files that are open.
  package var openCount: Int { realms.withLock { $0.count } }

  package func heads(ofApp app: String?) -> AsyncStream<RealmHead> {
    listeners.heads(ofApp: app)
  }
}
