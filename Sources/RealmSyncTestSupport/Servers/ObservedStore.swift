// SPDX-License-Identifier: Apache-2.0

// The calls of a store, one by one.

package import RealmServerEngine

/// A store with an observer of its calls.
package struct ObservedStore: ServerStore {
  /// A call that the observer gets.
  package enum Call {
    case open
    case own
    case snapshot
    case append
    /// What was appended is on the disk, and the caller does not know it yet.
    case appended
  }

  /// Is called before a call is carried out, which throws what this throws.
  package typealias Observer = @Sendable (Call) async throws(StoreError) -> Void

  private let store: any ServerStore
  private let observer: Observer

  package init(_ store: any ServerStore, _ observer: @escaping Observer) {
    self.store = store
    self.observer = observer
  }

  package nonisolated(nonsending)
    func open(_ realm: RealmName) async throws(StoreError) -> any RealmStore
  {
    try await observer(.open)
    return ObservedRealm(store: try await store.open(realm), observer: observer)
  }

  package nonisolated(nonsending)
    func exists(_ realm: RealmName) async throws(StoreError) -> Bool
  {
    try await store.exists(realm)
  }

  package nonisolated(nonsending)
    func realms(ofApp app: String) async throws(StoreError) -> [RealmID]
  {
    try await store.realms(ofApp: app)
  }

  package nonisolated(nonsending)
    func peek(_ realm: RealmID) async throws(StoreError) -> RealmOutline
  {
    try await store.peek(realm)
  }

  package func heads(ofApp app: String?) -> AsyncStream<RealmHead> { store.heads(ofApp: app) }
}
