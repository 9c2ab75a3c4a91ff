// SPDX-License-Identifier: Apache-2.0

// The named values of an app, `%%values.<name>`.

#if Server
import RealmFormats
import TestExtensions
import Testing

@testable import RealmServerEngine
@testable import RealmServerServices

struct NamedValueTests {
  private static let values = #"""
    {"admins": ["u1", "u2"], "team": "red", "limits": {"low": 3, "high": {"$numberLong": "9"}},
      "text": "%%user.id", "open": true}
    """#

  private static func file(_ rule: String) -> String {
    #"{"id":"a","mode":"production","sync":"partition","permissions":{"read":\#(rule)},"#
      + #""values":\#(values)}"#
  }

  private static let user = RuleUser(
    id: "u1",
    customData: try? ExtendedJSONReader.parse(#"{"team":"red","level":3,"text":"%%user.id"}"#))

  @Test(arguments: [
    (#"{"%%user.id":{"$in":"%%values.admins"}}"#, true),
    (#"{"%%partition":{"$in":"%%values.admins"}}"#, false),
    (#"{"%%user.custom_data.team":"%%values.team"}"#, true),
    (#"{"%%user.custom_data.team":{"$ne":"%%values.team"}}"#, false),
    (#"{"%%user.custom_data.level":"%%values.limits.low"}"#, true),
    (#"{"%%user.custom_data.level":{"$in":[1,"%%values.limits.high"]}}"#, false),
    (#"{"%%user.custom_data.level":{"$in":["%%values.limits.low"]}}"#, true),
    (#"{"%%values.open":true}"#, true), (#"{"%%values.admins":"%%user.id"}"#, true),
    // A value is a value, whatever it is.
    (#"{"%%user.id":"%%values.text"}"#, false),
    (#"{"%%user.custom_data.text":"%%values.text"}"#, true),
  ])
  func aNameMeansItsValue(_ rule: String, _ expected: Bool) throws {
    let permissions = try AppFile(Array(Self.file(rule).utf8)).permissions
    let context = RuleContext(user: Self.user, partition: .string("p"))
    expectEqual(permissions.read.holds(in: context), expected)
  }

  @Test func filtersOfRolesHaveValues() throws {
    let text = #"""
      {"id": "a", "mode": "production", "values": {"kinds": ["x", 1], "kind": "x"}, "roles": {
        "default": [{"name": "r", "apply_when": {}, "read": true, "document_filters": {"read":
          {"$or": [{"kind": {"$in": "%%values.kinds"}}, {"kind": {"$gt": "%%values.kind"}}]}}}]}}
      """#
    let roles = try AppFile(Array(text.utf8)).roles
    expectEqual(
      roles.permissions(of: Self.user)["T"].read.description,
      #"(kind == "x" or kind == 1) or kind > "x""#)
  }

  /// Columns count from the rule.
  @Test(arguments: [
    (
      #"{"%%user.id":"%%values.admin"}"#, #"unknown value "%%values.admin": "values" has admins,"#,
      1
    ),
    (#"{"%%user.id":"%%values.limits.mid"}"#, #""limits" has no such part"#, 1),
    (#"{"%%user.id":"%%values.team.x"}"#, #""team" has no such part"#, 1),
    (#"{"%%user.id":"%%values."}"#, #"unknown expansion "%%values.""#, 1),
    (#"{"%%user.id":"%%values"}"#, #"unknown expansion "%%values""#, 1),
    (#"{"%%user.id":"%%values.admins"}"#, #"a list is compared with "$in""#, 1),
    (#"{"%%user.id":"%%values.limits"}"#, "the value cannot be compared", 1),
    (#"{"%%user.id":{"$in":"%%values.team"}}"#, #""$in" needs a list"#, 14),
    (#"{"%%values.x":1}"#, #"unknown value "%%values.x""#, 1),
  ])
  func mistakesAreNamedWithTheirPosition(_ rule: String, _ text: String, _ column: Int) throws {
    let error = try #require(throws: AppFileError.self) {
      try AppFile(Array(Self.file(rule).utf8))
    }
    expectTrue(error.message.contains(text), "\(error)")
    expectEqual(error.line, 1, "\(error)")
    expectEqual(error.column, 72 + column, "\(error)")
  }

  @Test(arguments: [
    (#"[]"#, #"needs "values" as an object"#, 12), (#"{"a.b":1}"#, "is empty or has a", 22),
    (#"{"":1}"#, "is empty or has a", 22), (#"{"a":1,"a":2}"#, #"the key "a" twice"#, 28),
  ])
  func valuesHaveNames(_ values: String, _ text: String, _ column: Int) throws {
    let file = #"{"id": "a", "values":\#(values)}"#
    let error = try #require(throws: AppFileError.self) { try AppFile(Array(file.utf8)) }
    expectTrue(error.message.contains(text), "\(error)")
    expectEqual(error.column, column + 1, "\(error)")
  }

  @Test func withoutValuesNoNameIsKnown() throws {
    let text =
      #"{"id":"a","mode":"production","sync":"partition","#
      + #""permissions":{"read":{"%%user.id":"%%values.x"}}}"#
    let error = try #require(throws: AppFileError.self) { try AppFile(Array(text.utf8)) }
    #expect(error.message.contains(#"the file has no "values""#), "\(error)")
  }
}
#endif
