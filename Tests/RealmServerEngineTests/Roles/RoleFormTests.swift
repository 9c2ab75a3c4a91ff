// SPDX-License-Identifier: Apache-2.0

// Roles and classes of other forms than those of the random runs: embedded objects in embedded
// objects, objects without primary key, and asymmetric ones.

import RealmFormats
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import TestExtensions
import Testing

@testable import RealmServerEngine

struct RoleFormTests {
  /// Admins see and change everything; all others do not see the code of the lock of a home, and
  /// make neither memos nor events.
  private static let roles = #"""
    {"default": [
      {"name": "admin", "apply_when": {"%%user.custom_data.admin": true}, "read": true,
        "write": true, "insert": true, "delete": true},
      {"name": "user", "apply_when": {}, "read": true, "write": true, "insert": true,
        "delete": true, "fields": {"home": {"fields": {"lock": {"fields": {
          "code": {"read": false, "write": false}}}}}}}],
    "classes": {
      "Memo": [{"name": "admin", "apply_when": {"%%user.custom_data.admin": true}, "read": true,
        "write": true, "insert": true, "delete": true}],
      "Event": [{"name": "admin", "apply_when": {"%%user.custom_data.admin": true},
        "read": true, "write": true, "insert": true, "delete": true}]}}
    """#

  private static let queries = ["Doc": "TRUEPREDICATE", "Memo": "TRUEPREDICATE"]

  private static func server() throws -> RoleServer {
    let server = try RoleServer(JSONParser.parse(roles))
    try server.setCustomData(["admin": .bool(true)], of: "root")
    return server
  }

  private static func device(_ user: String, on server: RoleServer) async throws -> RoleDevice {
    let device = try await RoleDevice.make(user, on: server)
    try device.client.write { group in
      let lock = try group.createTable(named: "class_Lock", kind: .embedded)
      for name in ["code", "name"] { try lock.addColumn(named: name, type: .string) }
      let home = try #require(try group.table(named: "class_Home"))
      try home.addColumn(named: "lock", type: .link, target: lock.key)
      let memo = try group.createTable(named: "class_Memo")
      try memo.addColumn(named: "text", type: .string)
      let event = try group.createTable(named: "class_Event", kind: .asymmetric)
      let id = try event.addColumn(named: "_id", type: .string)
      try event.setPrimaryKey(id.key)
    }
    device.want(queries)
    try await device.connect()
    try await device.upload()
    try await device.downloadAll()
    return device
  }

  /// The objects that were refused.
  private static func upload(
    by device: RoleDevice, _ body: (WriteGroup) throws -> Void
  ) async throws -> [String] {
    try device.client.write(body)
    return try await device.upload().flatMap(\.updates).map { "\($0.table) \($0.key)" }.sorted()
  }

  // MARK: Embedded objects in embedded objects

  /// Gives an object a home with a new lock.
  private static func makeLock(
    _ key: String, _ code: String, _ name: String, in group: WriteGroup
  ) throws {
    let docs = try #require(try group.table(named: "class_Doc"))
    let homes = try #require(try group.table(named: "class_Home"))
    let object = try docs.findOrCreate(primaryKey: .string(key)).key
    let home = try docs.createEmbedded(#require(docs.schema.column(named: "home")), of: object).key
    let lock = try homes.createEmbedded(#require(homes.schema.column(named: "lock")), of: home).key
    try set(["code": code, "name": name], of: lock, in: group)
  }

  private static func set(
    _ values: [String: String], of lock: ObjectKey, in group: WriteGroup
  ) throws {
    let locks = try #require(try group.table(named: "class_Lock"))
    for (name, text) in values.sorted(by: { $0.key < $1.key }) {
      try locks.set(.string(text), #require(locks.schema.column(named: name)), lock)
    }
  }

  /// Changes the lock that is there.
  private static func change(
    _ key: String, _ values: [String: String], in group: WriteGroup
  ) throws {
    try set(values, of: #require(try lock(key, in: group)), in: group)
  }

  private static func lock(_ key: String, in source: some TableReader) throws -> ObjectKey? {
    let docs = try schema("Doc", in: source)
    guard
      let object = try source.object(withPrimaryKey: .string(key), in: docs.key),
      let home = try link("home", of: object, docs, in: source)
    else { return nil }
    return try link("lock", of: home, schema("Home", in: source), in: source)
  }

  private static func schema(_ name: String, in source: some TableReader) throws -> TableSchema {
    try #require(try source.classSchemas().first { $0.className == name })
  }

  private static func link(
    _ field: String, of object: ObjectKey, _ schema: TableSchema, in source: some TableReader
  ) throws -> ObjectKey? {
    guard let row = try source.row(of: object, in: schema.key),
      let column = schema.column(named: field), case .link(let target) = try row.value(of: column)
    else { return nil }
    return target
  }

  /// The code and the name of a lock.
  private static func texts(_ key: String, in source: some TableReader) throws -> [TableValue] {
    let schema = try schema("Lock", in: source)
    guard let lock = try lock(key, in: source), let row = try source.row(of: lock, in: schema.key)
    else { return [] }
    return try ["code", "name"].map { try row.value(of: #require(schema.column(named: $0))) }
  }

  private static func texts(_ key: String, at server: RoleServer) async throws -> [TableValue] {
    try texts(key, in: try await server.realm().store.snapshot(atLeast: 0).objects)
  }

  private static func wasSent(_ text: String, to device: RoleDevice) -> Bool {
    device.received.contains { String(decoding: $0, as: UTF8.self).contains(text) }
  }

  /// In the bootstrap and in rounds; what may be changed of a lock changes, and the rest stays.
  @Test func rulesReachIntoEmbeddedObjectsOfEmbeddedObjects() async throws {
    let server = try Self.server()
    let root = try await Self.device("root", on: server)
    let made = try await Self.upload(by: root) { try Self.makeLock("a", "secret-1", "n1", in: $0) }
    expectTrue(made.isEmpty)
    let ann = try await Self.device("ann", on: server)
    try expectEqual(Self.texts("a", in: ann.client.read()), [.string(""), .string("n1")])
    _ = try await Self.upload(by: root) { group in
      try Self.change("a", ["code": "secret-2", "name": "n2"], in: group)
      try Self.makeLock("b", "secret-3", "n3", in: group)
    }
    try await ann.downloadAll()
    try expectEqual(Self.texts("a", in: ann.client.read()), [.string(""), .string("n2")])
    try expectEqual(Self.texts("b", in: ann.client.read()), [.string(""), .string("n3")])
    expectTrue(Self.wasSent("n3", to: ann))
    expectFalse(Self.wasSent("secret", to: ann))
    // Names change; codes stay, and so do the locks that have them.
    let changed = try await Self.upload(by: ann) { try Self.change("a", ["name": "n4"], in: $0) }
    expectTrue(changed.isEmpty)
    try await expectEqual(Self.texts("a", at: server), [.string("secret-2"), .string("n4")])
    let refused = try await Self.upload(by: ann) { group in
      try Self.change("a", ["code": "x"], in: group)
      try Self.makeLock("b", "", "n5", in: group)
      try Self.makeLock("c", "x", "n6", in: group)
      try Self.makeLock("d", "", "n7", in: group)
    }
    expectEqual(refused, ["a", "b", "c"].map { "Doc \"\($0)\"" })
    try await expectEqual(Self.texts("a", at: server), [.string("secret-2"), .string("n4")])
    try await expectEqual(Self.texts("b", at: server), [.string("secret-3"), .string("n3")])
    try await expectEqual(Self.texts("c", at: server), [])
    try await expectEqual(Self.texts("d", at: server), [.string(""), .string("n7")])
  }

  // MARK: Other kinds of objects

  /// A refused object without primary key has no name by which it could be taken back.
  @Test func refusedObjectsWithoutPrimaryKeyEndInAReset() async throws {
    let server = try Self.server()
    for user in ["root", "ann"] {
      let device = try await Self.device(user, on: server)
      try device.client.write { group in
        let memos = try #require(try group.table(named: "class_Memo"))
        let memo = try memos.createObject().key
        try memos.set(.string(user), #require(memos.schema.column(named: "text")), memo)
        let docs = try #require(try group.table(named: "class_Doc"))
        _ = try docs.findOrCreate(primaryKey: .string(user))
      }
      guard user == "ann" else {
        #expect(try await device.upload().isEmpty)
        continue
      }
      let refusal = try await #require(throws: SessionRefusal.self) { try await device.upload() }
      expectEqual(refusal.code, .writeNotAllowed)
      expectEqual(refusal.document.action, .clientResetNoRecovery)
    }
    // Nothing of the upload is kept.
    try await expectEqual(server.objects(ofClass: "Doc").keys.sorted(), ["root"])
  }

  /// Objects of asymmetric classes are sent to nobody, and are in no view that they could be
  /// outside of.
  @Test func asymmetricObjectsNeedTheRightToInsertAlone() async throws {
    let server = try Self.server()
    for user in ["root", "ann"] {
      let device = try await Self.device(user, on: server)
      try device.client.write { group in
        let events = try #require(try group.table(named: "class_Event"))
        _ = try events.createObject(primaryKey: .string("event-of-\(user)"))
      }
      let reports = try await device.upload()
      #expect(reports.allSatisfy { $0.updates.isEmpty })
      let reasons = reports.flatMap(\.refused).map(\.reason)
      expectEqual(
        reasons,
        (user == "root"
          ? [] : ["write to \"event-of-ann\" in table \"Event\" not allowed"]))
      #expect(!Self.wasSent("event-of-root", to: try await Self.device("root", on: server)))
    }
  }
}
