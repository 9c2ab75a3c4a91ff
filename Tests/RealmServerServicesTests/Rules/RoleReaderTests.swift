// SPDX-License-Identifier: Apache-2.0

// Roles in `app.json`: what they mean, and which mistakes are found where.

#if Server
import RealmFormats
import RealmReplication
import RealmSyncProtocol
import TestExtensions
import Testing

@testable import RealmServerEngine
@testable import RealmServerServices

struct RoleReaderTests {
  /// An `app.json` with roles.
  static func file(_ roles: String) -> String {
    #"{"id":"a","mode":"production","roles":"# + roles + "}"
  }

  /// An `app.json` with one role for all classes, which applies to all users.
  private static func file(role members: String) -> String {
    file(#"{"default":[{"name":"r","apply_when":{},\#(members)}]}"#)
  }

  private static let user = RuleUser(
    id: "u1", customData: try? ExtendedJSONReader.parse(#"{"team":"red","teams":["red",1]}"#))

  private static func permission(
    _ text: String, ofClass name: String = "Todo"
  ) throws -> ClassPermission {
    try AppFile(Array(text.utf8)).roles.permissions(of: user)[name]
  }

  // MARK: Meaning

  /// `AppRoles` 1
  @Test func theFirstRoleThatAppliesDecides() throws {
    let text = Self.file(
      """
      {"default": [{"name": "all", "apply_when": {}, "read": true}], "classes": {
        "Todo": [{"name": "admin", "apply_when": {"%%user.custom_data.admin": true}, "write": true},
          {"name": "red", "apply_when": {"%%user.custom_data.team": "red"}, "read": true},
          {"name": "later", "apply_when": true, "write": true}],
        "Secret": [{"name": "nobody", "apply_when": false, "read": true}], "Empty": []}}
      """)
    try expectEqual(Self.permission(text).role, "red")
    try expectEqual(Self.permission(text, ofClass: "Other").role, "all")
    try expectEqual(Self.permission(text, ofClass: "Secret"), .none)
    try expectEqual(Self.permission(text, ofClass: "Empty"), .none)
    try expectEqual(Self.permission(Self.file("{}")), .none)
  }

  @Test(arguments: [
    // Without filters all objects, and without a permission none.
    (#""read":true"#, "all objects", "all objects"),
    (#""search":true"#, "no objects", "all objects"),
    // What may be written may be read.
    (#""write":true"#, "all objects", "all objects"),
    (
      #""read":true,"document_filters":{"write":{"owner":"%%user.id"}}"#,
      #"owner == "u1""#, #"owner == "u1""#
    ),
    (
      #""read":true,"document_filters":{"read":{"open":true},"write":{"owner":"%%user.id"}}"#,
      #"open == true or owner == "u1""#, #"owner == "u1""#
    ),
    // A filter that is left out admits nothing.
    (#""read":true,"write":true,"document_filters":{"read":true}"#, "all objects", "no objects"),
    (#""read":true,"document_filters":{}"#, "no objects", "no objects"),
  ])
  func filtersAreResolved(_ members: String, _ read: String, _ write: String) throws {
    let permission = try Self.permission(Self.file(role: members))
    expectEqual(permission.read.description, read)
    expectEqual(permission.write.description, write)
  }

  @Test(arguments: [
    (#"{"a":1,"b":{"$ne":null}}"#, "a == 1 and b != null"),
    (#"{"a":{"$gt":1,"$lte":2.5}}"#, "a > 1 and a <= 2.5"),
    (#"{"a":{"$lt":2.0,"$gte":1}}"#, "a < 2 and a >= 1"),
    (#"{"$or":[{"a":1},{"%and":[{"b":2},{"c":3}]}]}"#, "a == 1 or (b == 2 and c == 3)"),
    (#"{"a":{"$in":["x","%%user.id"]}}"#, #"a == "x" or a == "u1""#),
    (#"{"a":{"$in":"%%user.custom_data.teams"}}"#, #"a == "red" or a == 1"#),
    (#"{"a":{"$nin":["x","y"]}}"#, #"a != "x" and a != "y""#),
    // A list that has all of the values, and other spellings.
    (#"{"a":{"$all":["%%user.id"]}}"#, #"a == "u1""#),
    (#"{"a":{"$all":["x","y"]}}"#, #"a == "x" and a == "y""#),
    (#"{"a":{"$all":[]}}"#, "no objects"),
    (#"{"a":{"%in":["x","%%user.id"]}}"#, #"a == "x" or a == "u1""#),
    (#"{"a":{"%gt":1,"%nin":["x"]}}"#, #"a > 1 and a != "x""#),
    (#"{"a":{"$in":[]}}"#, "no objects"), (#"{"a":{"$nin":[]}}"#, "all objects"),
    // A missing value equals nothing.
    (#"{"a":"%%user.custom_data.no"}"#, "no objects"),
    (#"{"a":{"$ne":"%%user.custom_data.no"}}"#, "all objects"),
    (#"{"a":{"$gt":"%%user.custom_data.no"}}"#, "no objects"),
    (#"{"a":{"$in":"%%user.custom_data.team"}}"#, "no objects"),
    // Conditions about the user decide at once.
    (#"{"a":1,"%%user.custom_data.team":"red"}"#, "a == 1"),
    (#"{"a":1,"%%user.custom_data.team":"blue"}"#, "no objects"),
    (#"{"%or":[{"a":1},{"%%user.id":"u1"}]}"#, "all objects"),
    (#"{"a":"%%true"}"#, "a == true"), ("{}", "all objects"), ("false", "no objects"),
    (
      #"{"a":{"$oid":"0123456789abcdef01234567"}}"#,
      #"a == {"$oid":"0123456789abcdef01234567"}"#
    ),
  ])
  func conditionsAreResolved(_ filter: String, _ expected: String) throws {
    let text = Self.file(role: #""read":true,"document_filters":{"read":\#(filter)}"#)
    let read = try Self.permission(text).read
    expectEqual(read.description, expected)
    // What is stored with a client comes back.
    expectEqual(ObjectFilter(read.json), read)
  }

  /// A constant of a user is a constant, whatever it is.
  @Test func valuesOfUsersAreNoExpansions() throws {
    let text = Self.file(
      role: #""read":true,"document_filters":{"read":{"a":"%%user.custom_data.name"}}"#)
    let roles = try AppFile(Array(text.utf8)).roles
    for name in ["%%true", "\" OR TRUEPREDICATE", "$ne"] {
      let user = RuleUser(
        id: "u", customData: .document([BSONElement("name", .string(name))]))
      let filters = roles.permissions(of: user).filters
      expectEqual(filters["Todo"], .comparison(field: "a", .equal, .string(name)))
      expectEqual(ReadFilters(filters.json), filters)
    }
  }

  @Test(arguments: [
    (#""write":true"#, [true, true, true]), (#""read":true"#, [false, false, false]),
    (#""write":true,"fields":{"a":{"write":false}},"read":true"#, [false, true, true]),
    (
      #""write":true,"read":true,"additional_fields":{"write":false},"#
        + #""fields":{"a":{"write":true}}"#,
      [true, false, false]
    ),
    (#""read":true,"fields":{"a":{},"b":{"write":true}}"#, [false, true, false]),
    (#""read":true,"additional_fields":{"write":true},"fields":{"a":{}}"#, [true, true, true]),
  ])
  func theNearestRuleOfAPropertyCounts(_ members: String, _ expected: [Bool]) throws {
    let permission = try Self.permission(Self.file(role: members))
    expectEqual(["a", "b", "c"].map(permission.mayWrite(field:)), expected)
  }

  /// The properties a, b and c that may be read; `nil` if no object may.
  @Test(arguments: [
    (#""read":true"#, "abc"), (#""write":true"#, "abc"),
    (#""read":true,"fields":{"a":{"read":false}}"#, "bc"),
    (#""read":true,"write":true,"fields":{"a":{"read":false,"write":false}}"#, "bc"),
    (#""fields":{"a":{"read":true}}"#, "a"), (#""fields":{"a":{"write":true}}"#, "a"),
    (#""read":true,"additional_fields":{"read":false},"fields":{"a":{"read":true}}"#, "a"),
    (
      #""read":true,"additional_fields":{"read":false},"fields":{"a":{"write":true},"b":{}}"#, "a"
    ),
    (#""additional_fields":{"read":true},"fields":{"a":{"read":false}}"#, "bc"),
    (#""additional_fields":{"write":true},"fields":{"a":{"write":false}}"#, "bc"),
    (#""read":true,"additional_fields":{"read":false}"#, nil),
    (#""insert":true,"fields":{"a":{"read":false}}"#, nil),
  ])
  func propertiesAreHidden(_ members: String, _ expected: String?) throws {
    let permission = try Self.permission(Self.file(role: members))
    expectEqual((permission.read == .constant(false)), (expected == nil))
    expectEqual(["a", "b", "c"].filter(permission.readable.contains).joined(), expected ?? "abc")
    // What is stored with a client comes back.
    let filters = SessionPermissions(classes: ["T": permission], fallback: permission).filters
    expectEqual(ReadFilters(filters.json), filters)
  }

  /// What may be read and changed of a property with embedded objects: `h` and its `a`, `b` and
  /// `c`.
  @Test(arguments: [
    (#""read":true,"fields":{"h":{"fields":{"a":{"read":false}}}}"#, "hbc", ""),
    (#""write":true,"fields":{"h":{"fields":{"a":{"write":false}}}}"#, "hbc", "hbc"),
    (
      #""write":true,"fields":{"h":{"fields":{"a":{"read":false,"write":false}}}}"#, "hbc", "hbc"
    ),
    (#""write":true,"read":true,"fields":{"h":{"write":false,"fields":{"a":{}}}}"#, "habc", ""),
    (#""read":true,"fields":{"h":{"fields":{"a":{"write":true}}}}"#, "habc", "ha"),
    (#""fields":{"h":{"fields":{"a":{"read":true},"b":{"write":true}}}}"#, "hab", "hb"),
    (#""fields":{"h":{"read":true,"additional_fields":{"read":false},"fields":{"c":{}}}}"#, "", ""),
    (
      #""read":true,"fields":{"h":{"additional_fields":{"read":false},"#
        + #""fields":{"a":{"read":true}}}}"#,
      "ha", ""
    ),
    (
      #""read":true,"additional_fields":{"write":true},"#
        + #""fields":{"h":{"write":false,"fields":{"b":{"write":true}}}}"#,
      "habc", "hb"
    ),
    // Rules within nothing are those of the property.
    (#""read":true,"fields":{"h":{"fields":{},"additional_fields":{}}}"#, "habc", ""),
  ])
  func rulesOfEmbeddedObjectsAreWithinThoseOfTheirProperty(
    _ members: String, _ read: String, _ written: String
  ) throws {
    let permission = try Self.permission(Self.file(role: members))
    func names(_ selection: FieldSelection) -> String {
      (selection.contains("h") ? "h" : "")
        + ["a", "b", "c"].filter { selection.contains(path: ["h", $0]) }.joined()
    }
    #expect(permission.read == .constant(false) ? read == "" : names(permission.readable) == read)
    expectEqual(names(permission.writable), written)
    let filters = SessionPermissions(classes: ["T": permission], fallback: permission).filters
    expectEqual(ReadFilters(filters.json), filters)
  }

  @Test(arguments: [
    (
      #""read":true,"write":true,"fields":{"a":{"fields":{"b":{"read":false,"write":false}}}}"#,
      "all properties but a.b", "all properties but a.b"
    ),
    (
      #""read":true,"fields":{"a":{"fields":{"b":{"write":true}}}}"#, "all objects",
      "the properties a.b"
    ),
    (
      #""read":true,"fields":{"a":{"additional_fields":{"read":false},"#
        + #""fields":{"b":{"read":true}}}}"#,
      "all properties but a (except a.b)", "no objects"
    ),
    (
      #""fields":{"a":{"write":true,"fields":{"b":{"write":false}}}}"#,
      "the properties a (except a.b)", "the properties a (except a.b)"
    ),
  ])
  func partsOfPropertiesAreExplained(_ members: String, _ read: String, _ changed: String) throws {
    let roles = try AppFile(Array(Self.file(role: members).utf8)).roles
    let text = RoleExplanation(roles, of: RuleUser(id: "u1"), className: "Todo").description
    let lines = text.split(separator: "\n")
    expectTrue(lines[1].hasSuffix(read), "\(text)")
    expectTrue(lines[2].hasSuffix(changed), "\(text)")
  }

  /// Whoever may write an object may read it; a condition of both is asked once.
  @Test(arguments: [
    (#"{"read":{"o":"%%user.id"},"write":{"o":"%%user.id"}}"#, #"reads: o == "u1""#),
    (#"{"read":{"s":1},"write":{"o":"%%user.id"}}"#, #"reads: s == 1 or o == "u1""#),
    (#"{"read":{},"write":{}}"#, "reads: all objects"),
  ])
  func readsWhatItMayWrite(_ filters: String, _ line: String) throws {
    let members = #""read":true,"write":true,"document_filters":"# + filters
    let roles = try AppFile(Array(Self.file(role: members).utf8)).roles
    let text = RoleExplanation(roles, of: RuleUser(id: "u1"), className: "T").description
    expectEqual(text.split(separator: "\n")[1], line[...], "\(text)")
  }

  // MARK: Mistakes

  @Test(arguments: [
    ("[]", "\"roles\" needs an object", 31), (#"{"x":[]}"#, "unknown key \"x\" in \"roles\"", 40),
    (#"{"default":{}}"#, "roles are a list", 40),
    (#"{"classes":[]}"#, "\"classes\" needs an object", 40),
    (#"{"classes":{"A":{}}}"#, "roles are a list", 51),
    (#"{"classes":{"":[]}}"#, "a class needs a name", 51),
    (#"{"classes":{"A":[],"A":[]}}"#, "\"A\" is there twice", 58),
    (#"{"default":[1]}"#, "a role needs an object", 51),
    (#"{"default":[{"apply_when":{}}]}"#, "a role needs a \"name\"", 51),
    (#"{"default":[{"name":"","apply_when":{}}]}"#, "a role needs a \"name\"", 52),
    (#"{"default":[{"name":"r"}]}"#, "\"r\" needs an \"apply_when\"", 51),
    (#"{"default":[{"name":"r","apply_when":1}]}"#, "a rule is true, false or an object", 63),
    (#"{"default":[{"name":"r","apply_when":{"a":1}}]}"#, "unknown \"a\"", 77),
    (
      #"{"default":[{"name":"r","apply_when":{}},{"name":"r","apply_when":{}}]}"#,
      "two roles \"r\"", 81
    ),
    (
      #"{"default":[{"name":"r","apply_when":{"%%partition":1}}]}"#, "which flexible sync has not",
      51
    ),
  ])
  func mistakesInListsAreNamedWithTheirPosition(
    _ roles: String, _ text: String, _ column: Int
  ) throws {
    try Self.expect(Self.file(roles), text, column)
  }

  /// Columns count from the first member after `apply_when`.
  @Test(arguments: [
    (#""writ":true"#, "unknown key \"writ\" in a role", 0),
    (#""read":1"#, "\"read\" needs true or false", 0),
    (#""write":"%%true""#, "\"write\" needs true or false", 0),
    (#""insert":{}"#, "\"insert\" needs", 0),
    (#""delete":null"#, "\"delete\" needs", 0), (#""search":1"#, "\"search\" needs", 0),
    (#""read":true,"read":true"#, "\"read\" is there twice", 12),
    (#""document_filters":true"#, "\"document_filters\" needs an object", 0),
    (#""document_filters":{"insert":true}"#, "unknown key \"insert\" in \"document_filters\"", 20),
    (#""document_filters":{"read":1}"#, "a filter is true, false or an object", 20),
    (#""document_filters":{"read":{"$not":{}}}"#, "unknown \"$not\"", 28),
    (#""document_filters":{"read":{"%function":{}}}"#, "unknown \"%function\"", 28),
    (#""document_filters":{"read":{"%%values.a":1}}"#, "unknown value \"%%values.a\"", 28),
    (#""document_filters":{"read":{"a.b":1}}"#, "\"a.b\" is no property of the objects", 28),
    (#""document_filters":{"read":{"":1}}"#, "\"\" is no property", 28),
    (#""document_filters":{"read":{"a":[1]}}"#, "a list is compared with \"$in\"", 28),
    (#""document_filters":{"read":{"a":{"b":1}}}"#, "unknown operator \"b\"", 33),
    (
      #""document_filters":{"read":{"a":{"$exists":true}}}"#,
      "unknown operator \"$exists\" of a property", 33
    ),
    (#""document_filters":{"read":{"a":{"$regex":"x"}}}"#, "unknown operator \"$regex\"", 33),
    (#""document_filters":{"read":{"a":{"$in":1}}}"#, "\"$in\" needs a list", 33),
    (#""document_filters":{"read":{"a":{"$eq":1,"$eq":2}}}"#, "\"$eq\" is there twice", 41),
    (#""document_filters":{"write":{"$or":[]}}"#, "\"$or\" needs a list of filters", 29),
    (#""document_filters":{"write":{"$or":[{"$x":1}]}}"#, "unknown \"$x\"", 37),
    (#""document_filters":{"write":{"a":"%%partition"}}"#, "which flexible sync has not", -28),
    (#""fields":[]"#, "\"fields\" needs an object", 0),
    (#""fields":{"a":true}"#, "\"a\" needs an object", 10),
    (#""fields":{"a":{"insert":true}}"#, "unknown key \"insert\" in \"a\"", 15),
    (#""fields":{"a":{"write":1}}"#, "\"write\" needs true or false", 15),
    (#""fields":{"a.b":{}}"#, "\"a.b\" is no property", 10),
    (#""fields":{"a":{"fields":{"b":1}}}"#, "\"b\" needs an object", 25),
    (#""fields":{"a":{"fields":{"b":{"x":true}}}}"#, "unknown key \"x\" in \"b\"", 30),
    (#""fields":{"a":{"additional_fields":{"fields":{}}}}"#, "unknown key \"fields\"", 36),
    (
      #""write":true,"fields":{"a":{"fields":{"b":{"read":false}}}}"#,
      "\"b\" may not be read, and may be", 43
    ),
    (
      #""write":true,"fields":{"a":{"additional_fields":{"read":false}}}"#,
      "other properties may not be read, and may be", 49
    ),
    (#""additional_fields":{"x":true}"#, "unknown key \"x\" in \"additional_fields\"", 21),
    // What may be written may be read: a file must not look as if a property were hidden.
    (#""write":true,"fields":{"a":{"read":false}}"#, "\"a\" may not be read, and may be", 28),
    (#""fields":{"a":{"read":false,"write":true}}"#, "Add \"write\": false", 15),
    (
      #""read":true,"additional_fields":{"write":true},"fields":{"a":{"read":false}}"#,
      "\"a\" may not be read", 62
    ),
    (
      #""write":true,"additional_fields":{"read":false},"fields":{"a":{"read":true}}"#,
      "other properties may not be read, and may be written", 34
    ),
  ])
  func mistakesInRolesAreNamedWithTheirPosition(
    _ members: String, _ text: String, _ column: Int
  ) throws {
    try Self.expect(Self.file(role: members), text, 79 + column)
  }

  private static func expect(_ file: String, _ text: String, _ column: Int) throws {
    let error = try #require(throws: AppFileError.self) { try AppFile(Array(file.utf8)) }
    expectTrue(error.message.contains("has a mistake in its rules: "), "\(error)")
    expectTrue(error.message.contains(text), "\(error)")
    expectEqual(error.line, 1, "\(error)")
    expectEqual(error.column, column, "\(error)")
  }

  /// No file looks protected that is not.
  @Test(arguments: [
    (#"{"id":"a","roles":{}}"#, "which development mode does not check"),
    (#"{"id":"a","mode":"development","roles":{}}"#, "does not check"),
    (#"{"id":"a","mode":"production","sync":"partition","roles":{}}"#, "are of flexible sync"),
    (#"{"id":"a","mode":"production","permissions":{}}"#, "are of partitions"),
    (
      #"{"id":"a","mode":"production","roles":{"default":[{"name":"r","apply_when":true,"#
        + #""document_filters":{"read":{"mail":{"$in":["%%user.data.email"]}}}}]}}"#,
      "anybody may register any address"
    ),
  ])
  func rolesThatWouldNotHoldAreRefused(_ text: String, _ expected: String) throws {
    let error = try #require(throws: AppFileError.self) { try AppFile(Array(text.utf8)) }
    expectTrue(error.description.contains(expected), "\(error)")
  }
}
#endif
