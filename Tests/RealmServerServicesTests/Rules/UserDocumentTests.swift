// SPDX-License-Identifier: Apache-2.0

// Objects of the app's data as custom data of users.

#if Server
import RealmFormats
import RealmStorage
import RealmTables
import RealmText
import Synchronization
import TestExtensions
import Testing

@testable import RealmServerEngine
@testable import RealmServerServices

struct UserDocumentTests {
  private static let fileCount = Atomic(0)
  private static let id = "0123456789abcdef01234567"

  /// A class with a property of each type. Its objects name users by texts, and by ids.
  private static func objects() throws -> TableGroup {
    let number = fileCount.add(1, ordering: .relaxed).newValue
    let file = try DatabaseFile.open(
      path: "/documents-\(number).realm", options: OpenOptions(isInMemory: true))
    let group = try WriteGroup(file.beginWrite())
    let home = try group.createTable(named: "class_Home", kind: .embedded)
    let street = try home.addColumn(named: "street", type: .string)
    let table = try group.createTable(named: "class_Profile")
    let name = try table.addColumn(named: "user", type: .string, isNullable: true)
    let other = try table.addColumn(named: "other", type: .objectId, isNullable: true)
    let level = try table.addColumn(named: "level", type: .int)
    let tags = try table.addColumn(named: "tags", type: .string, collection: .list)
    let counts = try table.addColumn(named: "counts", type: .int, collection: .dictionary)
    let place = try table.addColumn(named: "home", type: .link, target: home.key)
    let date = try table.addColumn(named: "date", type: .timestamp, isNullable: true)
    let boss = try table.addColumn(named: "boss", type: .link, target: table.key)
    var keys: [ObjectKey] = []
    for user in ["ann", "bob", "bob", nil] {
      let key = try table.createObject().key
      try table.set(user.map { .string($0) } ?? .null, name, key)
      keys.append(key)
    }
    let bits = try #require(ObjectIDBits(text: id))
    try table.set(.objectId(Bytes12(high: bits.high, low: bits.low)), other, keys[3])
    try table.set(.int(3), level, keys[0])
    try table.list(tags, keys[0]).append(.string("red"))
    try table.dictionary(counts, keys[0]).set(.int(5), for: "a")
    try home.set(.string("s"), street, table.createEmbedded(place, of: keys[0]).key)
    try table.set(.timestamp(Timestamp(seconds: 1, nanoseconds: 500_000_000)), date, keys[0])
    try table.setLink(keys[1], boss, keys[0])
    _ = try group.commit()
    return try TableGroup(file.snapshot(), schemas: SchemaCache())
  }

  private static func document(_ user: String, by field: String = "user") throws -> String? {
    let source = CustomUserData(className: "Profile", userField: field)
    return try source.document(of: user, in: objects()).map { ExtendedJSONWriter.text($0) }
  }

  @Test func anObjectIsADocument() throws {
    let document = try #require(try Self.document("ann"))
    let value = try ExtendedJSONReader.parse(document)
    expectEqual(value["user"], .string("ann"))
    expectEqual(value["level"], .int64(3))
    expectEqual(value["other"], .null)
    expectEqual(value["boss"], .null)
    expectEqual(value["tags"], .array([.string("red")]))
    expectEqual(value["counts"]?["a"], .int64(5))
    expectEqual(value["home"]?["street"], .string("s"))
    expectEqual(value["date"], .date(unixMilliseconds: 1_500))
  }

  /// `CustomUserData+Document` 1
  @Test func whoIsNotNamedOnceHasNone() throws {
    try expectEqual(Self.document("bob"), nil)
    try expectEqual(Self.document("eve"), nil)
    try expectEqual(Self.document(""), nil)
    try expectEqual(Self.document("ann", by: "missing"), nil)
    try expectEqual(Self.document("3", by: "level"), nil)
    try expectEqual(Self.document("red", by: "tags"), nil)
  }

  @Test func objectIdsNameUsersToo() throws {
    #expect(try Self.document(Self.id, by: "other") != nil)
    try expectEqual(Self.document("x", by: "other"), nil)
  }

  @Test func thePrimaryKeyMayNameTheUser() throws {
    let file = try DatabaseFile.open(
      path: "/documents-keys.realm", options: OpenOptions(isInMemory: true))
    let group = try WriteGroup(file.beginWrite())
    for (name, type) in [("Text", ColumnType.string), ("Id", .objectId)] {
      let table = try group.createTable(named: "class_" + name)
      try table.setPrimaryKey(table.addColumn(named: "_id", type: type).key)
      let bits = try #require(ObjectIDBits(text: Self.id))
      _ = try table.findOrCreate(
        primaryKey: type == .string
          ? .string(Self.id) : .objectId(Bytes12(high: bits.high, low: bits.low)))
    }
    _ = try group.commit()
    let objects = try TableGroup(file.snapshot(), schemas: SchemaCache())
    for name in ["Text", "Id"] {
      let source = CustomUserData(className: name, userField: "_id")
      #expect(try source.document(of: Self.id, in: objects)?["_id"] != nil)
      try expectEqual(source.document(of: "x", in: objects), nil)
    }
  }

  @Test(arguments: [
    (#""custom_user_data":{"class":"P","user_id_field":"u"}"#, nil),
    (
      #""sync":"partition","custom_user_data":{"class":"P","user_id_field":"u","partition":"x"}"#,
      nil
    ),
    (#""custom_user_data":[]"#, #"needs "custom_user_data" as an object"#),
    (#""custom_user_data":{"class":"P"}"#, #"needs a "user_id_field" in"#),
    (#""custom_user_data":{"class":"","user_id_field":"u"}"#, #"a "class" that is no name"#),
    (#""custom_user_data":{"class":"P","user_id_field":1}"#, #""user_id_field" that is no name"#),
    (
      #""custom_user_data":{"class":"P","class":"P","user_id_field":"u"}"#,
      #"has the key "class" twice"#
    ),
    (
      #""custom_user_data":{"class":"P","user_id_field":"u","enabled":true}"#,
      #"unknown key "enabled" in "custom_user_data""#
    ),
    (
      #""custom_user_data":{"class":"P","user_id_field":"u","partition":"x"}"#,
      "which flexible sync has not"
    ),
    (
      #""sync":"partition","custom_user_data":{"class":"P","user_id_field":"u"}"#,
      #"needs a "partition" in"#
    ),
    (
      #""sync":"partition","custom_user_data":{"class":"P","user_id_field":"u","partition":[]}"#,
      #"a "partition" that is no text"#
    ),
  ])
  func theFileNamesTheClass(_ members: String, _ expected: String?) throws {
    let bytes = Array(#"{"id":"a",\#(members)}"#.utf8)
    guard let expected else {
      let data = try #require(try AppFile(bytes).customUserData)
      expectEqual(data.className, "P")
      expectEqual(data.userField, "u")
      expectEqual(data.partition, (members.contains("partition") ? "\"x\"" : nil))
      return
    }
    let error = try #require(throws: AppFileError.self) { try AppFile(bytes) }
    expectTrue(error.description.contains(expected), "\(error)")
    expectEqual(error.line, 1)
  }
}
#endif
