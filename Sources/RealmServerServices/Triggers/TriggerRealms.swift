// SPDX-License-Identifier: Apache-2.0

// The realms of an app, as its triggers find them.

#if Server
import RealmServerEngine
import RealmStorage

/// Finds realms by the identifiers in news of them.
final class TriggerRealms: Sendable {
  private static let nameCountMax = 10_000

  private let app: ServerApp
  private let documents: DocumentService
  private let names = Locked<[RealmID: RealmName]>([:])

  init(_ app: ServerApp, _ documents: DocumentService) {
    self.app = app
    self.documents = documents
  }

  func all() async throws(StoreError) -> [RealmID] {
    try await app.realms.realms(ofApp: app.name)
  }

  /// Whether a realm is one of the app.
  func has(_ name: RealmName) -> Bool { name.app == app.name }

  /// The head of a realm, open or not.
  func head(of realm: RealmID) async throws(StoreError) -> RealmHead {
    let outline = try await app.realms.peek(realm)
    keep(outline.name, of: realm)
    return outline.head
  }

  /// The name of a realm, and its head where it was found on the way.
  func name(of realm: RealmID) async throws(StoreError) -> (RealmName, RealmHead?) {
    if let known = names.withLock({ $0[realm] }) { return (known, nil) }
    let outline = try await app.realms.peek(realm)
    keep(outline.name, of: realm)
    return (outline.name, outline.head)
  }

  private func keep(_ name: RealmName, of realm: RealmID) {
    names.withLock { names in
      if names.count >= Self.nameCountMax { names = [:] }
      names[realm] = name
    }
  }

  /// A realm for reading, which stays open as long as the result is kept.
  func open(_ name: RealmName) async throws(StoreError) -> RealmDirectory.OpenRealm {
    try await app.realms.openReader(name)
  }

  /// The partition in the documents of a realm.
  func partition(of name: RealmName) -> DocumentPartition? { documents.partition(of: name) }

  func depth(of version: UInt64, in realm: RealmID) async -> Int {
    await app.depths.settledDepth(of: version, in: realm)
  }
}
#endif
