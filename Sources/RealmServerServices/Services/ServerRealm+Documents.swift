// SPDX-License-Identifier: Apache-2.0

// The realm with the custom data of users.

#if Server
import RealmFormats
import RealmServerEngine
import RealmStorage
import RealmSyncProtocol
import RealmTables

extension ServerRealm {
  /// The custom data of a user in the newest version; nil if there is none.
  func customData(
    of user: String, _ source: CustomUserData
  ) async throws(StoreError) -> BSONValue? {
    let snapshot = try await store.newest()
    return try StoreError.storing(source.document(of: user, in: snapshot.objects))
  }

  /// The users whose custom data versions may have changed; nil if any may be among them.
  func changedUsers(
    in versions: Range<UInt64>, _ source: CustomUserData
  ) async throws(StoreError) -> Set<String>? {
    let snapshot = try await store.snapshot(atLeast: versions.upperBound - 1)
    guard versions.lowerBound > snapshot.head.base else { return nil }
    var users: Set<String> = []
    var objects: Set<ObjectIdentity.Key> = []
    for entry in try await store.entries(in: versions) where !entry.changeset.isEmpty {
      guard let touches = touches(of: entry) else { return nil }
      for touch in touches where touch.object.className == source.className {
        switch touch.existence {
        case .unknown: return nil
        case .created, .absent: break
        case .stayed, .erased:
          if let field = touch.fields.first(where: { $0.name == source.userField }) {
            guard let before = field.before else { return nil }
            if let user = CustomUserData.user(before) { users.insert(user) }
          }
        }
        objects.insert(touch.object.key)
      }
    }
    guard !objects.isEmpty,
      let table = try StoreError.storing(
        View.table(source.className, snapshot.objects))
    else { return users }
    for object in objects {
      if let user = try StoreError.storing(source.user(of: object, in: table)) {
        users.insert(user)
      }
    }
    return users
  }

  /// The touches of an entry; nil if its changeset cannot be read.
  private func touches(of entry: StoredEntry) -> [Touch]? {
    guard !settings.recordsTouches else { return entry.touches }
    guard let changeset = try? ChangesetParser.parse(entry.changeset) else { return nil }
    return Touch.unknown(in: changeset)
  }
}
#endif
