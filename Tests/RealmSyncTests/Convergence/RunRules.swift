// SPDX-License-Identifier: Apache-2.0

// The rules of a convergence run: roles in flexible mode, permissions of a partition otherwise.
//
// What they leave out has tests of its own, as the objects of these runs have no model: properties
// that are hidden, and rules within embedded objects (`RoleRunTests`, `HiddenFieldTests`,
// `NestedFieldTests`); rules of partitions by their value, and functions (`PartitionAccessTests`,
// `RuleExpressionTests`). In nine of ten drawings each user may write notes, whose class has no
// primary key: a refused one resets its device, and a run would be about nothing else.

import RealmFormats
import RealmServerEngine
import RealmStorage
import RealmSyncProtocol
import RealmTestSupport

/// Draws rules and the custom data of users from small pools.
final class RunRules {
  static let users = ["u1", "u2", "u3"]

  private let mode: SyncMode
  private var random: SeededGenerator
  private let customData = Locked<[String: BSONValue]>([:])
  /// The roles; nil where each user has all.
  private var roles: AppRoles?

  init(_ mode: SyncMode, seed: UInt64) {
    self.mode = mode
    random = SeededGenerator(seed: seed)
    for user in Self.users { drawData(of: user) }
  }

  /// Gives a user other custom data.
  func drawData(of user: String) {
    let data = BSONValue.document([
      BSONElement("editor", .bool(random.percent(60))),
      BSONElement("level", .int64(Int64(random.number(below: 60)))),
      BSONElement("tag", .string("tag\(random.number(below: 5))")),
    ])
    customData.withLock { $0[user] = data }
  }

  /// The next rules; nil where each user has all.
  ///
  /// - Parameter isLast: Whether each user is to be able to read a partition.
  func draw(isLast: Bool = false) throws -> (any SessionAccess)? {
    roles = nil
    if random.percent(10) { return nil }
    let users = { @Sendable [customData] (id: String) throws(SessionRefusal) -> RuleUser in
      RuleUser(id: id, customData: customData.withLock { $0[id] })
    }
    guard mode == .flexible else {
      let text = "{\"read\": \(isLast ? "true" : readText()), \"write\": \(writeText())}"
      let permissions = try PartitionPermissions(
        try JSONParser.parse(text), at: [], RuleReader())
      return PartitionAccess(permissions, users: users)
    }
    let drawn = try RoleReader(rules: RuleReader())
      .roles(try JSONParser.parse(rolesText()), at: [])
    roles = drawn
    return RoleAccess(drawn, users: users)
  }

  /// What a user may read of classes in flexible mode; nil for everything.
  func filters(of user: String) -> ReadFilters? {
    let data = customData.withLock { $0[user] }
    return roles?.permissions(of: RuleUser(id: user, customData: data)).filters
  }

  // MARK: Partitions

  private func readText() -> String {
    random.pick(["true", "true", "true", #"{"%%user.custom_data.editor": true}"#])
  }

  private func writeText() -> String {
    random.pick([
      "true", #"{"%%user.custom_data.editor": true}"#, #"{"%%user.custom_data.editor": true}"#,
      #"{"%%user.id": {"$in": ["u1", "u2"]}}"#, #"{"%%user.id": {"$ne": "u1"}}"#,
    ])
  }

  // MARK: Roles

  private func rolesText() -> String {
    let open =
      #"{"name": "o", "apply_when": {}, "read": true, "write": true, "insert": true, "#
      + #""delete": true}"#
    let things = (0..<1 + random.number(below: 2)).map { thingRole($0) }
    // Writes to objects without primary key cannot be taken back one by one.
    let notes = random.percent(90) ? open : noteRole()
    return """
      {"default": [\(open)], "classes": {"Thing": [\(things.joined(separator: ", "))], \
      "Note": [\(notes)]}}
      """
  }

  private func thingRole(_ number: Int) -> String {
    var fields: [String] = []
    for field in ["name", "count", "numbers", "tags", "map", "other", "parts"]
    where random.percent(20) {
      fields.append("\"\(field)\": {\"write\": \(random.percent(40))}")
    }
    let condition = random.pick([
      "{}", "{}", "true", #"{"%%user.custom_data.editor": true}"#,
      #"{"%%user.id": {"$in": ["u1", "u2"]}}"#,
    ])
    return """
      {"name": "t\(number)", "apply_when": \(condition), "document_filters": {"read": \(filter()), \
      "write": \(filter())}, "read": true, "write": \(random.percent(85)), \
      "insert": \(random.percent(85)), "delete": \(random.percent(70)), \
      "fields": {\(fields.joined(separator: ", "))}}
      """
  }

  private func noteRole() -> String {
    """
    {"name": "n", "apply_when": {}, "document_filters": {"read": true, \
    "write": {"text": {"$ne": "n7"}}}, "read": true, "write": true, "insert": true, \
    "delete": \(random.percent(50))}
    """
  }

  private func filter() -> String {
    let bound = random.number(below: 60)
    return random.pick([
      "true", "true", #"{"count": {"$gt": \#(bound)}}"#, #"{"count": {"$lte": \#(bound)}}"#,
      #"{"count": {"$lte": "%%user.custom_data.level"}}"#, #"{"name": {"$ne": ""}}"#,
      #"{"tags": {"$in": ["tag1", "%%user.custom_data.tag"]}}"#, #"{"tags": {"$ne": "tag0"}}"#,
      #"{"id": {"$in": ["t0", "t1", "t2", "t3", "t4"]}}"#,
      #"{"%%user.custom_data.editor": true, "count": {"$lt": 50}}"#,
    ])
  }
}
