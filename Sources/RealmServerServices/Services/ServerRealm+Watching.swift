// SPDX-License-Identifier: Apache-2.0

// What streams of changes ask of a realm.

#if Server
import RealmReplication
import RealmServerEngine
import RealmStorage
import RealmSyncProtocol

/// What a user may read of a class, at the beginning and at the end of a part of a stream.
struct WatchedClass: Sendable {
  let name: String
  /// Nil for every right.
  let before: ClassPermission?
  let now: ClassPermission?

  fileprivate func query(_ permission: ClassPermission?) -> EffectiveQuery {
    guard let permission else { return EffectiveQuery([name: "TRUEPREDICATE"]) }
    return EffectiveQuery(
      [name: "TRUEPREDICATE"], filters: [name: permission.read],
      fields: [name: permission.readable])
  }
}

extension ServerRealm {
  /// The newest version, with its token.
  func newestToken() async throws(StoreError) -> ChangeToken {
    let head = try await store.newest().head
    return ChangeToken(version: head.version, salt: head.salt)
  }

  /// Whether the changes after a token are all here.
  func knows(_ token: ChangeToken) async throws(StoreError) -> Bool {
    let head = try await store.newest().head
    if token.version == head.version { return token.salt == head.salt }
    guard token.version < head.version, token.version >= head.base else { return false }
    // The entry before the first that is stored is gone, and its salt with it.
    if token.version == head.base { return true }
    return try await entries(in: token.version..<token.version + 1).first?.salt == token.salt
  }

  /// The changes of a class after a token, with the version that they lead to.
  func changes(
    of watched: WatchedClass, after token: ChangeToken
  ) async throws(StoreError) -> (changes: ViewChanges, snapshot: RealmSnapshot)? {
    let snapshot = try await store.snapshot(atLeast: token.version)
    guard snapshot.head.version > token.version else { return nil }
    let history = try await entries(in: token.version + 1..<snapshot.head.version + 1)
    let before = try StoreError.storing(
      View.bind(watched.query(watched.before), to: snapshot.objects))
    let now = try StoreError.storing(View.bind(watched.query(watched.now), to: snapshot.objects))
    guard case .success(let before) = before, case .success(let now) = now else { return nil }
    let changes = try ViewChanges(
      ofClass: watched.name, history, to: snapshot, before: before, now: now,
      readable: watched.now?.readable ?? .all, scratch: scratch)
    return (changes, snapshot)
  }
}
#endif
