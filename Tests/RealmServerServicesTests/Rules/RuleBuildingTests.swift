// SPDX-License-Identifier: Apache-2.0

// Rules made in Swift: they are those of the file, and become a file with the same rules.

#if Server
import RealmFormats
import RealmSyncProtocol
import RealmTestSupport
import RealmText
import TestExtensions
import Testing

@testable import RealmServerEngine
@testable import RealmServerServices

struct RuleBuildingTests {
  private static func app(_ mode: SyncMode = .flexible) -> AppFile {
    var file = AppFile(id: "a", name: "a", mode: mode)
    file.stage = .production
    file.accounts.confirmation = .mail
    return file
  }

  private static func read(_ file: AppFile) throws -> AppFile {
    try AppFile(Array(file.text().utf8))
  }

  /// The roles of the page.
  @Test func rolesInSwiftAreThoseOfTheFile() throws {
    let text = #"""
      {"id": "a", "mode": "production", "roles": {"classes": {"Todo": [
        {"name": "editor", "apply_when": {"%%user.custom_data.editor": true}, "read": true,
          "write": true, "insert": true, "delete": true},
        {"name": "owner", "apply_when": true, "read": true, "write": true, "insert": true,
          "delete": true, "document_filters": {
            "read": {"%or": [{"status": "public"}, {"level": {"$in": [1, "%%user.id"]}}]},
            "write": {"%and": [{"owner": "%%user.id"}, {"level": {"$gte": 2}}]}},
          "fields": {"status": {"write": false}, "salary": {"read": false, "write": false},
            "home": {"fields": {"alarm": {"read": false, "write": false}},
              "additional_fields": {"write": false}}},
          "additional_fields": {"read": true}}]}}}
      """#
    let editor = Role("editor", when: .customData("editor").equals(true))
      .reading().writing().inserting().deleting()
    let owner = Role("owner")
      .reading(where: .field("status").equals("public") || .field("level").isIn([1, .userID]))
      .writing(where: .field("owner").equals(.userID) && .field("level").isAtLeast(2))
      .inserting().deleting().field("status", write: false)
      .hiding("salary", "home.alarm").otherFields(of: "home", write: false)
      .otherFields(read: true)
    let roles = AppRoles(classes: ["Todo": [editor, owner]])
    try expectEqual(AppFile(Array(text.utf8)).roles, roles)
    var file = Self.app()
    file.roles = roles
    try expectEqual(Self.read(file).roles, roles)
  }

  @Test func permissionsInSwiftAreThoseOfTheFile() throws {
    let text = #"""
      {"id": "a", "mode": "production", "sync": "partition", "permissions": {
        "read": {"%%partition": "public"}, "write": {"%or": [{"%%partition": "%%user.id"},
          {"%and": [{"%%user.custom_data.at.home": {"$exists": true}},
            {"%%user.id": {"$ne": "u"}}]}]}}}
      """#
    let permissions = PartitionPermissions(
      read: .partition.equals("public"),
      write: .partition.equals(.userID)
        || .customData("at.home").exists() && .userID.differs(from: "u"))
    try expectEqual(AppFile(Array(text.utf8)).permissions, permissions)
    var file = Self.app(.partition)
    file.permissions = permissions
    try expectEqual(Self.read(file).permissions, permissions)
  }

  /// What no literal of the file can say becomes a named value, one for equal ones.
  @Test func constantsThatLookLikeExpansionsAreNamed() throws {
    var file = Self.app(.partition)
    file.values = ["kept": .string("%y")]
    file.permissions = PartitionPermissions(
      read: .userID.equals("%%user.id") || .partition.equals("%%user.id"),
      write: .partition.equals("%y"))
    let back = try Self.read(file)
    expectEqual(back.permissions, file.permissions)
    expectEqual(back.values, ["kept": .string("%y"), "value2": .string("%%user.id")])
    let context = RuleContext(user: RuleUser(id: "u"), partition: .string("u"))
    expectFalse(back.permissions.read.holds(in: context))
  }

  /// As for a file of the same text.
  @Test func mistakesAreErrors() throws {
    let roles: [(Role, String)] = [
      (Role("r").reading().writing().field("a", read: false), "may not be read, and may be"),
      (Role("r", when: .partition.equals("x")).reading(), "which flexible sync has not"),
      (Role("").reading(), "needs a \"name\""),
      (Role("r").reading(where: .field("a.b").equals(1)), "is no property of the objects"),
      (Role("r").reading(where: .field("$a").equals(1)), "unknown \"$a\""),
      (Role("r", when: .customData("").equals(1)), "unknown expansion"),
      (Role("r", when: .userID.isIn("x")), "\"$in\" needs a list"),
    ]
    for (role, text) in roles {
      var file = Self.app()
      file.roles = AppRoles(fallback: [role])
      let error = try #require(throws: AppFileError.self) { try file.text() }
      expectTrue(error.description.contains(text), "\(error)")
    }
    var file = Self.app()
    file.roles = AppRoles(fallback: [Role("r"), Role("r")])
    #expect(throws: AppFileError.self) { try file.text() }
  }

  // MARK: Random rules

  private static let seeds = 1...300 as ClosedRange<UInt64>

  private static func random(_ seed: UInt64) -> AppFile {
    var draw = RuleDraw(random: SeededGenerator(seed: seed))
    var file = app(seed % 3 == 0 ? .partition : .flexible)
    if file.mode == .flexible {
      file.roles = draw.roles()
    } else {
      file.permissions = PartitionPermissions(read: draw.rule(), write: draw.rule())
    }
    return file
  }

  @Test func randomRulesComeBackAsTheyWere() throws {
    for seed in Self.seeds {
      let file = Self.random(seed)
      let back = try Self.read(file)
      expectEqual(back.roles, file.roles, "seed \(seed)")
      expectEqual(back.permissions, file.permissions, "seed \(seed)")
      // Read and written again it is the same text.
      try expectEqual(back.text(), Self.read(back).text(), "seed \(seed)")
    }
  }

  /// Each mistake of the text would be seen.
  @Test(arguments: [
    (#""$lt""#, #""$lte""#), (#""$gte""#, #""$gt""#), (#""%and""#, #""%or""#),
    (#""$in""#, #""$nin""#), (#""$eq""#, #""$ne""#), (#""delete":true"#, #""delete":false"#),
    (#""insert":false"#, #""insert":true"#), (#""%%user.id""#, #""%%user.type""#),
    (#""additional_fields""#, #""search_fields""#), (#""write":{"#, #""read":{"#),
    (#""%%values."#, #""%%value."#), (#""$exists":true"#, #""$exists":false"#),
  ])
  func aFaultIsSeen(_ text: String, _ replacement: String) throws {
    let isSeen = try Self.seeds.contains { seed in
      let file = Self.random(seed)
      let known = try file.text()
      let changed = known.replacing(text, with: replacement)
      guard changed != known else { return false }
      guard let back = try? AppFile(Array(changed.utf8)) else { return true }
      return back.roles != file.roles || back.permissions != file.permissions
    }
    expectTrue(isSeen, "\(text)")
  }
}

/// Draws rules from small pools.
private struct RuleDraw {
  var random: SeededGenerator
  var hasPartition = true

  private mutating func constant() -> BSONValue {
    random.pick([
      .null, .bool(true), .bool(false), .int64(3), .int64(-1), .int32(7), .double(2.5), .double(2),
      .string("a"), .string(""), .string("%%user.id"), .string("%x"), .string("$eq"),
      .decimal("1.5"), .date(unixMilliseconds: 5), .binary(subtype: 0, bytes: [1, 2]),
      .objectID(ObjectIDBits(high: 1, low: 2)), .uuid(UUIDBits(high: 3, low: 4)),
    ])
  }

  private mutating func expansion() -> RuleTerm {
    let all: [RuleTerm] = [
      .userID, .userType, .userEmail, .customData("team"), .customData("at.home"), .partition,
    ]
    return random.pick(hasPartition ? all : Array(all.dropLast()))
  }

  private mutating func term() -> RuleTerm {
    random.percent(60) ? .value(constant()) : expansion()
  }

  private mutating func list() -> RuleTerm {
    switch random.number(below: 4) {
    case 0: .customData("teams")
    case 1: .value(.array((0..<random.number(below: 3)).map { _ in constant() }))
    default: .list((0..<random.number(below: 4)).map { _ in term() })
    }
  }

  mutating func rule(_ depth: Int = 0) -> RuleExpression {
    if depth < 3, random.percent(30) {
      let parts = (0..<1 + random.number(below: 3)).map { _ in rule(depth + 1) }
      return random.percent(50) ? .all(parts) : .any(parts)
    }
    let left = random.percent(85) ? expansion() : .value(constant())
    switch random.number(below: 7) {
    case 0: return .constant(random.percent(50))
    case 1: return .all([])
    case 2: return left.isIn(list())
    case 3: return left.exists(random.percent(50))
    case 4: return left.differs(from: term())
    default: return left.equals(term())
    }
  }

  private mutating func filter(_ depth: Int = 0) -> DocumentFilter {
    if depth < 3, random.percent(30) {
      let parts = (0..<1 + random.number(below: 3)).map { _ in filter(depth + 1) }
      return random.percent(50) ? .all(parts) : .any(parts)
    }
    let field = random.pick(["owner", "level", "Ä \"x\""])
    switch random.number(below: 5) {
    case 0: return .user(.constant(random.percent(50)))
    case 1: return .user(expansion().equals(term()))
    case 2: return .isIn(field: field, list())
    case 3: return .isNotIn(field: field, list())
    default: return .comparison(field: field, random.pick(FilterOperator.allCases), term())
    }
  }

  private mutating func access() -> Role.Access {
    switch random.number(below: 4) {
    case 0: Role.Access()
    case 1: Role.Access(read: false, write: false)
    case 2: Role.Access(write: random.percent(50))
    default: Role.Access(read: true, write: random.percent(50))
    }
  }

  private mutating func fieldRule(_ depth: Int = 0) -> Role.FieldRule {
    var rule = Role.FieldRule()
    rule.access = access()
    guard depth < 2, random.percent(40) else { return rule }
    for name in ["a", "c"] where random.percent(50) { rule.fields[name] = fieldRule(depth + 1) }
    if random.percent(40) { rule.otherFields = access() }
    return rule
  }

  private mutating func role(_ number: Int) -> Role {
    var role = Role("r\(number)", when: rule())
    if random.percent(70) { role = role.reading(where: filter()) }
    if random.percent(70) { role = role.writing(where: filter()) }
    if random.percent(50) { role = role.inserting() }
    if random.percent(50) { role = role.deleting() }
    for name in ["a", "b"] where random.percent(40) { role.fields[name] = fieldRule() }
    if random.percent(40) { role.otherFields = access() }
    return role
  }

  mutating func roles() -> AppRoles {
    hasPartition = false
    var roles = AppRoles(fallback: (0..<random.number(below: 3)).map { role($0) })
    for name in ["Todo", "Note"] where random.percent(60) {
      roles.classes[name] = (0..<random.number(below: 3)).map { role($0) }
    }
    return roles
  }
}
#endif
