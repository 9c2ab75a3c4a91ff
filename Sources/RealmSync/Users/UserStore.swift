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

  private static let tables = [
    InternalTable(
      name: "class_UserIdentity", kind: .embedded,
      properties: [
        .init(name: "id", type: .string), .init(name: "provider_type", type: .string),
      ]),
    InternalTable(
      name: "class_UserMetadata",
      properties: [
        .init(name: "identity", type: .string),
        .init(name: "legacy_uuids", type: .string, collection: .list),
        .init(name: "refresh_token", type: .string, isNullable: true),
        .init(name: "access_token", type: .string, isNullable: true),
        .init(name: "identities", type: .link, collection: .list, target: "class_UserIdentity"),
        .init(name: "state", type: .int), .init(name: "device_id", type: .string),
        .init(name: "profile_data", type: .string),
        .init(name: "local_realm_paths", type: .string, collection: .set),
      ]),
    InternalTable(
      name: "class_current_user_identity",
      properties: [.init(name: "id", type: .string)]),
    InternalTable(
      name: "class_FileActionMetadata", hasPrimaryKey: true,
      properties: [
        .init(name: "original_name", type: .string),
        .init(name: "new_name", type: .string, isNullable: true),
        .init(name: "action", type: .int), .init(name: "url", type: .string),
        .init(name: "identity", type: .string),
      ]),
  ]

  private let file: DatabaseFile
  private nonisolated let queue: ThreadExecutor
  private let schemas = SchemaCache()

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
    if let table = try group.table(named: "class_UserMetadata") {
      let identities = try group.table(named: "class_UserIdentity")
      try table.forEachRow { (row) throws(StorageError) in
        users.append(try Self.user(row, table.schema, identities))
      }
    }
    var current: String?
    if let table = try group.table(named: "class_current_user_identity") {
      try table.forEachRow { (row) throws(StorageError) in
        current = try table.schema.text("id", row)
      }
    }
    return (users, current)
  }

  /// Stores a user as it is now, and the choice of the current one.
  package func save(_ user: UserRecord, current: String?) throws(StorageError) {
    try write { (group) throws(StorageError) in
      let table = try InternalTables.table("class_UserMetadata", group)
      if let key = try find(user.id, "identity", table) {
        try Self.store(user, key, table, group)
      } else {
        try Self.store(user, table.createObject().key, table, group)
      }
      try setCurrent(current, group)
    }
  }

  /// Forgets a user.
  package func remove(_ id: String, current: String?) throws(StorageError) {
    try write { (group) throws(StorageError) in
      let table = try InternalTables.table("class_UserMetadata", group)
      if let key = try find(id, "identity", table) { try table.delete(key) }
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

  private func write(_ body: (WriteGroup) throws(StorageError) -> Void) throws(StorageError) {
    let group = try WriteGroup(file.beginWrite(), schemas: schemas)
    do throws(StorageError) {
      try InternalTables.make(Self.tables, group)
      if try group.schemaVersion() != Self.schemaVersion {
        try group.setSchemaVersion(Self.schemaVersion)
      }
      try body(group)
      _ = try group.commit()
    } catch {
      group.rollback()
      throw error
    }
  }

  private func setCurrent(_ id: String?, _ group: WriteGroup) throws(StorageError) {
    let table = try InternalTables.table("class_current_user_identity", group)
    for key in try table.keys() { try table.delete(key) }
    guard let id else { return }
    let key = try table.createObject().key
    try table.set(.string(id), table.required("id"), key)
  }

  private func find(
    _ text: String, _ name: String, _ table: WritableTable
  ) throws(StorageError) -> ObjectKey? {
    let column = try table.required(name)
    for key in try table.keys() {
      if let row = try table.row(of: key), try row.value(of: column) == .string(text) { return key }
    }
    return nil
  }

  private static func store(
    _ user: UserRecord, _ key: ObjectKey, _ table: WritableTable, _ group: WriteGroup
  ) throws(StorageError) {
    let texts: [(String, String?)] = [
      ("identity", user.id), ("refresh_token", user.refreshToken?.text),
      ("access_token", user.accessToken?.text), ("device_id", user.deviceID ?? ""),
      ("profile_data", ExtendedJSONWriter.text(.document(user.profile))),
    ]
    for (name, text) in texts {
      try table.set(text.map { .string($0) } ?? .null, table.required(name), key)
    }
    try table.set(user.state.rawValue, "state", key)
    let list = try table.list(table.required("identities"), key)
    try list.removeAll()
    let identities = try InternalTables.table("class_UserIdentity", group)
    for identity in user.identities {
      let (row, _) = try list.insertEmbedded(at: try list.count)
      try identities.set(.string(identity.id), identities.required("id"), row)
      try identities.set(.string(identity.provider), identities.required("provider_type"), row)
    }
  }

  // MARK: Reading

  private static func user(
    _ row: Row, _ schema: TableSchema, _ identities: Table?
  ) throws(StorageError) -> UserRecord {
    guard let id = try schema.text("identity", row),
      let number = try schema.integer("state", row), let state = UserState(rawValue: number)
    else { throw .corrupted("a stored user has no id or state") }
    var user = UserRecord(id: id)
    user.state = state
    user.refreshToken = try schema.text("refresh_token", row).flatMap { AppToken($0) }
    user.accessToken = try schema.text("access_token", row).flatMap { AppToken($0) }
    user.deviceID = try schema.text("device_id", row).flatMap { $0.isEmpty ? nil : $0 }
    if let text = try schema.text("profile_data", row),
      case .document(let elements)? = try? ExtendedJSONReader.parse(text)
    {
      user.profile = elements
    }
    guard let identities, let column = schema.column(named: "identities") else { return user }
    for key in try row.list(column).keys() {
      guard let part = try identities.row(of: key) else { continue }
      user.identities.append(
        UserRecord.Identity(
          id: try identities.schema.text("id", part) ?? "",
          provider: try identities.schema.text("provider_type", part) ?? ""))
    }
    return user
  }
}

extension Table {
  fileprivate func forEachRow(_ body: (Row) throws(StorageError) -> Void) throws(StorageError) {
    var cursor = clusterCursor()
    while let cluster = try cursor.next() {
      for index in 0..<cluster.count { try body(cluster.row(at: index)) }
    }
  }
}

extension TableSchema {
  fileprivate func text(_ name: String, _ row: Row) throws(StorageError) -> String? {
    guard let column = column(named: name) else { return nil }
    if case .string(let text) = try row.value(of: column) { return text }
    return nil
  }

  fileprivate func integer(_ name: String, _ row: Row) throws(StorageError) -> Int64? {
    guard let column = column(named: name) else { return nil }
    if case .int(let number) = try row.value(of: column) { return number }
    return nil
  }
}
