// SPDX-License-Identifier: Apache-2.0

import RealmStorage

@testable import RealmServerEngine

/// A store with an observer of its calls.
struct ObservedStore: ServerStore {
  /// A call that the observer gets.
  enum Call {
    case open
    case own
    case snapshot
    case append
    /// What was appended is on the disk, and the caller does not know it yet.
    case appended
  }

  /// Is called before a call is carried out, which throws what this throws.
  typealias Observer = @Sendable (Call) async throws(StoreError) -> Void

  private let store: any ServerStore
  private let observer: Observer

  init(_ store: any ServerStore, _ observer: @escaping Observer) {
    self.store = store
    self.observer = observer
  }

  nonisolated(nonsending)
    func open(_ realm: RealmName) async throws(StoreError) -> any RealmStore
  {
    try await observer(.open)
    return ObservedRealm(store: try await store.open(realm), observer: observer)
  }

  nonisolated(nonsending)
    func exists(_ realm: RealmName) async throws(StoreError) -> Bool
  {
    try await store.exists(realm)
  }

  nonisolated(nonsending)
    func realms(ofApp app: String) async throws(StoreError) -> [RealmID]
  {
    try await store.realms(ofApp: app)
  }

  nonisolated(nonsending)
    func peek(_ realm: RealmID) async throws(StoreError) -> RealmOutline
  {
    try await store.peek(realm)
  }

  func heads(ofApp app: String?) -> AsyncStream<RealmHead> { store.heads(ofApp: app) }
}
