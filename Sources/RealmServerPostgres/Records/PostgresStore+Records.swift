// SPDX-License-Identifier: Apache-2.0

// The records of apps in the database of their realms.
//
// Invariants:
// 1. The name of the records' realm is that of no app: the ids of apps have no "/".

#if Postgres
package import RealmServerEngine

extension PostgresStore {
  /// The records that apps have in a database.
  package enum RecordKind: String, Sendable {
    case users
    case triggers
  }

  private static func name(_ kind: RecordKind, ofApp app: String) -> RealmName {
    RealmName(app: "\(app)/\(kind.rawValue)")
  }

  /// Whether records of an app were made. Blocks the thread.
  package func hasRecords(
    _ kind: RecordKind, ofApp app: String
  ) throws(StoreError) -> Bool {
    try isThere(Self.name(kind, ofApp: app))
  }

  /// The records of an app, made if they are new. Blocks the thread.
  package func records(
    _ kind: RecordKind, ofApp app: String
  ) throws(StoreError) -> any RecordStore {
    let realm = try opened(Self.name(kind, ofApp: app), .records(RecordNews()))
    guard case .records(let news) = realm.replica.content else {
      throw .damaged("the realm \(realm.id.rawValue) has objects in place of records")
    }
    return PostgresRecords(realm, news)
  }
}
#endif
