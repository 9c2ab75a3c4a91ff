// SPDX-License-Identifier: Apache-2.0

// Rules about users and partitions: what they mean, and which mistakes are found where.

#if Server
import RealmFormats
import RealmServerEngine
import RealmServerServices
import RealmSyncProtocol
import RealmText
import TestExtensions
import Testing

struct RuleExpressionTests {
  /// An `app.json` with one rule.
  static func file(_ rule: String, _ member: String = "read") -> String {
    #"{"id":"a","mode":"production","sync":"partition","providers":"#
      + #"{"local-userpass":{"confirm":"mail"}},"permissions":{"\#(member)":\#(rule)}}"#
  }

  private static let user = RuleUser(
    id: "u1", email: "ann@example.org",
    customData: try? ExtendedJSONReader.parse(
      #"{"admin":true,"level":3,"none":null,"teams":["red","blue"],"at":{"home":"red"}}"#))

  private static func holds(
    _ rule: String, _ partition: BSONValue = .string("red"), _ user: RuleUser = user
  ) throws -> Bool {
    let app = try AppFile(Array(file(rule).utf8))
    let context = RuleContext(user: user, partition: partition)
    return app.permissions.permission(in: context) == .read
  }

  @Test(arguments: [
    ("true", true), ("false", false), ("{}", true),
    (#"{"%%user.id":"u1"}"#, true), (#"{"%%user.id":"u2"}"#, false),
    (#"{"%%user.type":"normal"}"#, true), (#"{"%%user.data.email":"ann@example.org"}"#, true),
    (#"{"%%user.custom_data.admin":true}"#, true),
    (#"{"%%user.custom_data.admin":"%%true"}"#, true),
    (#"{"%%true":"%%user.custom_data.admin"}"#, true),
    (#"{"%%false":"%%user.custom_data.admin"}"#, false),
    (#"{"%%user.custom_data.level":3.0}"#, true),
    (#"{"%%user.custom_data.level":{"$numberLong":"3"}}"#, true),
    (#"{"%%user.custom_data.at.home":"%%partition"}"#, true),
    // An array is equal to its elements, and not the reverse.
    (#"{"%%user.custom_data.teams":"%%partition"}"#, true),
    (#"{"%%partition":"%%user.custom_data.teams"}"#, false),
    (#"{"%%user.custom_data.teams":{"$ne":"red"}}"#, false),
    // `RuleExpression` 1
    (#"{"%%user.custom_data.no":"%%user.custom_data.other"}"#, false),
    (#"{"%%user.custom_data.no":null}"#, false), (#"{"%%user.custom_data.none":null}"#, true),
    (#"{"%%user.custom_data.no":{"$ne":1}}"#, true),
    (#"{"%%partition":{"$in":["red","green"]}}"#, true),
    (#"{"%%partition":{"$in":["green"]}}"#, false), (#"{"%%partition":{"$in":[]}}"#, false),
    (#"{"%%partition":{"$in":"%%user.custom_data.teams"}}"#, true),
    (#"{"%%partition":{"$in":["%%user.custom_data.no","%%user.custom_data.at.home"]}}"#, true),
    (#"{"%%partition":{"$in":"%%user.custom_data.admin"}}"#, false),
    (#"{"%%user.custom_data.teams":{"$in":["blue","green"]}}"#, true),
    (#"{"%%user.custom_data.none":{"$exists":true}}"#, true),
    (#"{"%%user.custom_data.no":{"$exists":true}}"#, false),
    (#"{"%%user.custom_data.no":{"$exists":false}}"#, true),
    (#"{"%%user.id":{"$eq":"u1","$ne":"u2"}}"#, true),
    // Operators are spelled with either sign.
    (#"{"%%partition":{"%in":["a","red"]}}"#, true),
    (#"{"%%partition":{"%in":["a","%%user.id"]}}"#, false),
    (#"{"%%partition":{"%nin":["a","%%user.id"]}}"#, true),
    (#"{"%%partition":{"$nin":["a","red"]}}"#, false),
    (#"{"%%user.id":{"%eq":"u1","%ne":"u2","%exists":true}}"#, true),
    (#"{"%%user.id":{"$eq":"u1","$ne":"u1"}}"#, false),
    (#"{"%%user.id":"u1","%%partition":"blue"}"#, false),
    (#"{"$or":[{"%%user.id":"u2"},{"%%partition":"red"}]}"#, true),
    (#"{"%or":[{"%%user.id":"u2"},false]}"#, false),
    (#"{"$and":[{"%%user.id":"u1"},{"%%partition":"red"}]}"#, true),
    (#"{"%and":[{"%%user.id":"u1"},{"%or":[{"%%partition":"blue"}]}]}"#, false),
  ])
  func rulesMean(_ rule: String, _ expected: Bool) throws {
    try expectEqual(Self.holds(rule), expected)
  }

  @Test func partitionsOfAllTypesAreCompared() throws {
    let id = try #require(ObjectIDBits(text: "0123456789abcdef01234567"))
    #expect(try Self.holds(#"{"%%partition":{"$oid":"0123456789abcdef01234567"}}"#, .objectID(id)))
    #expect(try Self.holds(#"{"%%partition":7}"#, .int64(7)))
    #expect(try Self.holds(#"{"%%partition":null}"#, .null))
    #expect(try !Self.holds(#"{"%%partition":"7"}"#, .int64(7)))
    // A user without the data has no part in the partition without a value.
    #expect(try !Self.holds(#"{"%%user.custom_data.team":"%%partition"}"#, .null))
  }

  /// `PartitionPermissions` 1
  @Test func whoMayWriteMayReadAndWhatIsNotNamedIsDenied() throws {
    let context = RuleContext(user: Self.user, partition: .string("red"))
    func permission(_ text: String) throws -> PartitionPermission {
      try AppFile(Array(text.utf8)).permissions.permission(in: context)
    }
    try expectEqual(permission(Self.file("true", "write")), .write)
    try expectEqual(permission(Self.file("true")), .read)
    try expectEqual(permission(#"{"id":"a","mode":"production","sync":"partition"}"#), .none)
    expectEqual(PartitionPermissions().permission(in: context), .none)
  }

  @Test(arguments: [
    ("1", "a rule is true, false or an object", 115),
    (#"{"owner":1}"#, "unknown \"owner\"", 123),
    (#"{"%%user.name":1}"#, "unknown expansion \"%%user.name\"", 123),
    (#"{"%%user.custom_data.":1}"#, "unknown expansion", 123),
    (#"{"%%user.custom_data.a..b":1}"#, "unknown expansion", 123),
    (#"{"%%values":{}}"#, "unknown expansion \"%%values\"", 123),
    (#"{"%%user.id":"%%values.id"}"#, "unknown value \"%%values.id\"", 123),
    (#"{"%%true":{"%function":{"name":"f"}}}"#, "unknown operator \"%function\"", 133),
    (#"{"%%user.id":{"$gt":"a"}}"#, "unknown operator \"$gt\"", 136),
    (#"{"%%user.id":{"$ne":1,"$nor":[]}}"#, "unknown operator \"$nor\"", 144),
    (#"{"%%user.id":{"$oid":"zz"}}"#, "the value cannot be compared", 123),
    (#"{"%%user.id":{"name":"x"}}"#, "unknown operator \"name\"", 136),
    (#"{"%%user.id":["u1"]}"#, "a list is compared with \"$in\"", 123),
    (#"{"%%user.id":{"$in":"u1"}}"#, "\"$in\" needs a list", 136),
    (#"{"%%user.id":{"$in":["u1",["u2"]]}}"#, "a list is compared with", 148),
    (#"{"%%user.id":{"$exists":1}}"#, "\"$exists\" needs true or false", 136),
    (#"{"%%user.id":1,"%%user.id":2}"#, "\"%%user.id\" is there twice", 137),
    (#"{"$or":{}}"#, "\"$or\" needs a list of rules", 123),
    (#"{"%and":[]}"#, "\"%and\" needs a list of rules", 123),
    (#"{"$or":[true,{"x":1}]}"#, "unknown \"x\"", 136),
  ])
  func mistakesAreNamedWithTheirPosition(_ rule: String, _ text: String, _ column: Int) throws {
    let error = try #require(throws: AppFileError.self) {
      try AppFile(Array(Self.file(rule).utf8))
    }
    expectTrue(error.message.contains("has a mistake in its rules: "), "\(error)")
    expectTrue(error.message.contains(text), "\(error)")
    expectEqual(error.line, 1, "\(error)")
    expectEqual(error.column, column, "\(error)")
  }

  @Test func aPositionIsALineAndAColumn() throws {
    let text = """
      {
        "id": "a", "name": "Ä \\" {", "mode": "production", "sync": "partition",
        "permissions": { "read": true,
          "write": { "%%user.name": 1 } }
      }
      """
    let error = try #require(throws: AppFileError.self) { try AppFile(Array(text.utf8)) }
    expectTrue(error.description.hasSuffix("(line 4, column 16)"), "\(error)")
    let broken = try #require(throws: AppFileError.self) {
      try AppFile(Array("{\n \"id\" 1}".utf8))
    }
    expectTrue(broken.description.hasSuffix("(line 2, column 7)"), "\(broken)")
  }

  /// No file looks protected that is not.
  @Test(arguments: [
    (#"{"id":"a","sync":"partition","permissions":{}}"#, "which development mode does not check"),
    (
      #"{"id":"a","mode":"development","sync":"partition","permissions":{}}"#, "does not check"
    ),
    (#"{"id":"a","mode":"production","sync":"partition","permissions":{"x":1}}"#, "unknown key"),
    (#"{"id":"a","mode":"production","sync":"partition","permissions":[]}"#, "needs an object"),
    (
      #"{"id":"a","mode":"production","sync":"partition","providers":{"local-userpass":{}},"#
        + #""permissions":{"write":{"%or":[{"%%user.id":{"$in":["%%user.data.email"]}}]}}}"#,
      "anybody may register any address"
    ),
  ])
  func rulesThatWouldNotHoldAreRefused(_ text: String, _ expected: String) throws {
    let error = try #require(throws: AppFileError.self) { try AppFile(Array(text.utf8)) }
    expectTrue(error.description.contains(expected), "\(error)")
  }
}
#endif
