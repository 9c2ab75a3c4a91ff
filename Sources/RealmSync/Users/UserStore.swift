// SPDX-License-Identifier: Apache-2.0

// The file of an app's users (P3 A).
//
// A realm file like any other, readable by every tool, and with the layout of deployed apps: their
// users stay logged in.

import RealmFormats
package import RealmStorage
import RealmTables

/// The file of an app's users.
///
/// An actor whose executor is a thread of its own, as it waits for the disk and for other
/// processes.
package actor UserStore {
  private static let schemaVersion: UInt64 = 7

  private static let identityLayout = RecordLayout(
    "class_UserIdentity", kind: .embedded,
    [RecordField("id", .string), RecordField("provider_type", .string)])
  /// A user is read from files that lack what one can do without.
  private static let userLayout = RecordLayout(
    "class_UserMetadata",
    [
      RecordField("identity", .string),
      RecordField("legacy_uuids", .string, collection: .list, isLater: true),
      RecordField("refresh_token", .string, isNullable: true, isLater: true),
      RecordField("access_token", .string, isNullable: true, isLater: true),
      RecordField(
        "identities", .link, collection: .list, target: identityLayout.name, isLater: true),
      RecordField("state", .int), RecordField("device_id", .string, isLater: true),
      RecordField("profile_data", .string, isLater: true),
      RecordField("local_realm_paths", .string, collection: .set, isLater: true),
    ])
  private static let currentLayout = RecordLayout(
    "class_current_user_identity", [RecordField("id", .string)])
  private static let layouts = [identityLayout, userLayout, currentLayout, actionLayout]

  nonisolated let file: DatabaseFile
  private nonisolated let queue: ThreadExecutor
  nonisolated let schemas = SchemaCache()

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe queue.asUnownedSerialExecutor()
  }

  /// Opens the file, made if there is none. Only its owner may read it.
  ///
  /// - Parameter key: The key of the file; a plain file is encrypted, unless another process has it
  ///   open.
  package init(path: String, key: EncryptionKey? = nil) throws(StorageError) {
    if let key { _ = try DatabaseFile.encryptIfPlain(path: path, key: key) }
    file = try DatabaseFile.open(
      path: path, options: OpenOptions(encryptionKey: key), system: SystemFiles(isPrivate: true))
    queue = try ThreadExecutor(
      named: "realm-users", path: path, purpose: "which stores the users")
  }

  /// The users, and the id of the current one. Blocks the thread while the file is read.
  package nonisolated func load() throws(StorageError) -> (users: [UserRecord], current: String?) {
    let group = try TableGroup(file.snapshot(), schemas: SchemaCache())
    var users: [UserRecord] = []
    if let table = try Self.userLayout.find(in: group) {
      let identities = try Self.identityLayout.find(in: group)
      var rows = try table.records()
      while let row = try rows.next() { users.append(try Self.user(row, identities)) }
    }
    var current: String?
    if let table = try Self.currentLayout.find(in: group) {
      var rows = try table.records()
      while let row = try rows.next() { current = try row.optionalText("id") }
    }
    return (users, current)
  }

  /// Stores a user as it is now, and the choice of the current one.
  package func save(_ user: UserRecord, current: String?) throws(StorageError) {
    try write { (group) throws(StorageError) in
      let users = try Self.userLayout.table(in: group)
      if let known = try find(user.id, in: users) {
        try Self.store(user, known, group)
      } else {
        try Self.store(user, users.create(), group)
      }
      try setCurrent(current, group)
    }
  }

  /// Forgets a user.
  package func remove(_ id: String, current: String?) throws(StorageError) {
    try write { (group) throws(StorageError) in
      let users = try Self.userLayout.table(in: group)
      if let key = try find(id, in: users)?.key { try users.delete(key) }
      try setCurrent(current, group)
    }
  }

  /// Stores the choice of the current user.
  package func setCurrent(_ id: String?) throws(StorageError) {
    try write { (group) throws(StorageError) in
      try setCurrent(id, group)
    }
  }

  // MARK: Writing

  nonisolated func write(_ body: (WriteGroup) throws(StorageError) -> Void) throws(StorageError) {
    let group = try WriteGroup(file.beginWrite(), schemas: schemas)
    try group.commit { (group) throws(StorageError) in
      for layout in Self.layouts { try layout.makeIfMissing(in: group) }
      if try group.schemaVersion() != Self.schemaVersion {
        try group.setSchemaVersion(Self.schemaVersion)
      }
      try body(group)
    }
  }

  private func setCurrent(_ id: String?, _ group: WriteGroup) throws(StorageError) {
    let table = try Self.currentLayout.table(in: group)
    try table.delete(table.keys())
    if let id { try table.create().set(id, "id") }
  }

  private func find(_ id: String, in users: RecordTable) throws(StorageError) -> RecordRow? {
    var rows = try users.records()
    while let row = try rows.next() {
      if try row.optionalText("identity") == id { return row }
    }
    return nil
  }

  private static func store(
    _ user: UserRecord, _ row: RecordRow, _ group: WriteGroup
  ) throws(StorageError) {
    try row.set(user.id, "identity")
    try row.set(user.refreshToken?.text, "refresh_token")
    try row.set(user.accessToken?.text, "access_token")
    try row.set(user.deviceID ?? "", "device_id")
    try row.set(ExtendedJSONWriter.text(.document(user.profile)), "profile_data")
    try row.set(user.state.rawValue, "state")
    try row.list("identities").removeAll()
    let identities = try identityLayout.table(in: group)
    for identity in user.identities {
      let part = try row.append(to: "identities", in: identities)
      try part.set(identity.id, "id")
      try part.set(identity.provider, "provider_type")
    }
  }

  // MARK: Reading

  private static func user(
    _ row: RecordRow, _ identities: RecordTable?
  ) throws(StorageError) -> UserRecord {
    guard let id = try row.optionalText("identity"),
      let state = StoredUserState(rawValue: try row.integer("state"))
    else { throw .corrupted("a stored user has no id or state") }
    var user = UserRecord(id: id)
    user.state = state
    user.refreshToken = try row.optionalText("refresh_token").flatMap { AppToken($0) }
    user.accessToken = try row.optionalText("access_token").flatMap { AppToken($0) }
    user.deviceID = try row.optionalText("device_id").flatMap { $0.isEmpty ? nil : $0 }
    if let text = try row.optionalText("profile_data"),
      case .document(let elements)? = try? ExtendedJSONReader.parse(text)
    {
      user.profile = elements
    }
    guard let identities else { return user }
    for part in try row.links("identities", in: identities) {
      user.identities.append(
        UserRecord.Identity(
          id: try part.optionalText("id") ?? "",
          provider: try part.optionalText("provider_type") ?? ""))
    }
    return user
  }
}
