// SPDX-License-Identifier: Apache-2.0

// Random rules against a model that evaluates their JSON.

#if Server
import RealmFormats
import RealmServerEngine
import RealmServerServices
import RealmTestSupport
import Testing

/// Evaluates the JSON of rules, in the plainest way.
struct RuleModel {
  /// A mistake that an evaluation could have.
  enum Fault: CaseIterable {
    case missingEqualsMissing
    case notEqualNeedsValue
    case someIsEvery
    case arraysHaveNoElements
    case numbersDiffer
  }

  let values: [String: JSONValue]
  var fault: Fault?

  func holds(_ json: JSONValue) -> Bool {
    guard case .object(let members) = json else { return json.bool == true }
    return members.allSatisfy { member in
      switch member.key {
      case "$and", "%and": return (member.value.array ?? []).allSatisfy(holds)
      case "$or", "%or":
        let parts = member.value.array ?? []
        return fault == .someIsEvery ? parts.allSatisfy(holds) : parts.contains(where: holds)
      default:
        guard case .object(let comparisons) = member.value else {
          return isEqual(value(member.key), value(of: member.value))
        }
        return comparisons.allSatisfy { holds($0, for: value(member.key)) }
      }
    }
  }

  private func holds(_ comparison: JSONMember, for left: JSONValue?) -> Bool {
    switch comparison.key {
    case "$eq": return isEqual(left, value(of: comparison.value))
    case "$ne":
      if fault == .notEqualNeedsValue, left == nil { return false }
      return !isEqual(left, value(of: comparison.value))
    case "$exists": return (left != nil) == comparison.value.bool
    default:
      let list = value(of: comparison.value)?.array ?? []
      return list.contains { isEqual(left, value(of: $0)) }
    }
  }

  private func value(_ name: String) -> JSONValue? {
    switch name {
    case "%%true": .bool(true)
    case "%%false": .bool(false)
    default: values[name]
    }
  }

  private func value(of json: JSONValue) -> JSONValue? {
    if case .string(let text) = json, text.hasPrefix("%%") { value(text) } else { json }
  }

  private func isEqual(_ left: JSONValue?, _ right: JSONValue?) -> Bool {
    guard let left, let right else {
      return fault == .missingEqualsMissing && left == nil && right == nil
    }
    if isSame(left, right) { return true }
    guard case .array(let elements) = left, right.array == nil, fault != .arraysHaveNoElements
    else { return false }
    return elements.contains { isSame($0, right) }
  }

  private func isSame(_ left: JSONValue, _ right: JSONValue) -> Bool {
    if case .array(let left) = left, case .array(let right) = right {
      return left.count == right.count && zip(left, right).allSatisfy(isSame)
    }
    if fault != .numbersDiffer, let left = left.integer, let right = right.integer {
      return left == right
    }
    return left == right
  }
}

struct RuleModelTests {
  private static let names = [
    "%%user.id", "%%partition", "%%user.custom_data.a", "%%user.custom_data.b",
    "%%user.custom_data.c.d", "%%user.custom_data.gone", "%%user.custom_data.lost", "%%true",
    "%%false",
  ]
  private static let values: [JSONValue] = [
    .string("x"), .string("y"), .integer(1), .double(1), .double(1.5), .bool(true), .bool(false),
    .null,
  ]

  /// Draws rules, users and partitions.
  private struct Draw {
    var random: SeededGenerator

    mutating func name() -> String { names.randomElement(using: &random) ?? "" }

    mutating func value() -> JSONValue { values.randomElement(using: &random) ?? .null }

    mutating func list(_ make: (inout Draw) -> JSONValue) -> [JSONValue] {
      (0..<Int.random(in: 1...3, using: &random)).map { _ in make(&self) }
    }

    mutating func term() -> JSONValue { random.chance(0.4) ? .string(name()) : value() }

    mutating func comparison() -> JSONValue {
      var members: [JSONMember] = []
      for key in ["$eq", "$ne", "$in", "$exists"] where random.chance(0.3) {
        switch key {
        case "$exists": members.append(JSONMember(key, .bool(random.chance(0.5))))
        case "$in" where random.chance(0.7):
          members.append(JSONMember(key, .array(list { $0.term() })))
        case "$in":
          members.append(JSONMember(key, .string("%%user.custom_data.a")))
        default: members.append(JSONMember(key, term()))
        }
      }
      return members.isEmpty ? term() : .object(members)
    }

    mutating func rule(_ depth: Int = 0) -> JSONValue {
      if depth > 0, random.chance(0.1) { return .bool(random.chance(0.5)) }
      var members: [JSONMember] = []
      for _ in 0..<Int.random(in: 1...2, using: &random) {
        let isNested = depth < 3 && random.chance(0.4)
        let key = isNested ? ["$and", "%and", "$or", "%or"].randomElement(using: &random) : name()
        guard let key, !members.contains(where: { $0.key == key }) else { continue }
        members.append(
          JSONMember(key, isNested ? .array(list { $0.rule(depth + 1) }) : comparison()))
      }
      return .object(members)
    }

    /// What the expansions are.
    mutating func environment() -> [String: JSONValue] {
      var result: [String: JSONValue] = [
        "%%user.id": .string(random.chance(0.5) ? "x" : "y"), "%%partition": value(),
      ]
      for name in names.dropFirst(2).prefix(3) where random.chance(0.8) {
        result[name] = random.chance(0.3) ? .array(list { $0.value() }) : value()
      }
      return result
    }
  }

  /// What the server grants by an `app.json` with rules.
  private static func permission(
    read: JSONValue, write: JSONValue, _ environment: [String: JSONValue]
  ) throws -> PartitionPermission {
    let permissions = JSONValue.object([JSONMember("read", read), JSONMember("write", write)])
    let file = JSONValue.object([
      JSONMember("id", .string("a")), JSONMember("mode", .string("production")),
      JSONMember("sync", .string("partition")), JSONMember("permissions", permissions),
    ])
    func bson(_ name: String) throws -> BSONValue? {
      try environment[name].map { json throws in try ExtendedJSONReader.value(json) }
    }
    var data: [BSONElement] = []
    for name in ["a", "b"] {
      if let value = try bson("%%user.custom_data." + name) {
        data.append(BSONElement(name, value))
      }
    }
    if let value = try bson("%%user.custom_data.c.d") {
      data.append(BSONElement("c", .document([BSONElement("d", value)])))
    }
    let user = RuleUser(
      id: environment["%%user.id"]?.string ?? "", customData: .document(data))
    return try AppFile(JSONWriter.bytes(file)).permissions
      .permission(in: RuleContext(user: user, partition: try bson("%%partition")))
  }

  private static func expected(
    read: JSONValue, write: JSONValue, _ model: RuleModel
  ) -> PartitionPermission {
    if model.holds(write) { return .write }
    return model.holds(read) ? .read : .none
  }

  /// Compares the server with a model. Returns the seeds of the differences, and what was granted.
  private static func differences(
    _ fault: RuleModel.Fault?
  ) throws -> (seeds: [UInt64], granted: [PartitionPermission: Int]) {
    var seeds: [UInt64] = []
    var granted: [PartitionPermission: Int] = [:]
    for seed in 1...1_500 as ClosedRange<UInt64> {
      var draw = Draw(random: SeededGenerator(seed: seed))
      let (read, write) = (draw.rule(), draw.rule())
      let environment = draw.environment()
      let model = RuleModel(values: environment, fault: fault)
      let found = try permission(read: read, write: write, environment)
      granted[found, default: 0] += 1
      if found != expected(read: read, write: write, model) { seeds.append(seed) }
    }
    return (seeds, granted)
  }

  @Test func rulesMeanWhatTheModelSays() throws {
    let (seeds, granted) = try Self.differences(nil)
    #expect(seeds.isEmpty, "first seeds: \(seeds.prefix(5))")
    for permission in [PartitionPermission.none, .read, .write] {
      #expect(granted[permission, default: 0] > 100, "\(granted)")
    }
  }

  /// Each mistake would be seen.
  @Test(arguments: RuleModel.Fault.allCases)
  func aFaultIsSeen(_ fault: RuleModel.Fault) throws {
    #expect(try !Self.differences(fault).seeds.isEmpty)
  }
}
#endif
