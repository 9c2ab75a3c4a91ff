// SPDX-License-Identifier: Apache-2.0

// Properties that a role hides: what devices are sent, what becomes of writes, and what another
// role changes.

import RealmFormats
import RealmSyncProtocol
import RealmTables
import TestExtensions
import Testing

@testable import RealmServerEngine

struct HiddenFieldTests {
  private typealias Step = RoleObjects.Step

  /// Admins see everything; all others do not see a note, marks, counts and the home.
  private static let roles = #"""
    {"default": [
      {"name": "admin", "apply_when": {"%%user.custom_data.admin": true}, "read": true,
        "write": true, "insert": true, "delete": true},
      {"name": "user", "apply_when": {}, "read": true, "write": true, "insert": true,
        "delete": true, "fields": {
          "note": {"read": false, "write": false}, "marks": {"read": false, "write": false},
          "counts": {"read": false, "write": false}, "home": {"read": false, "write": false}}}]}
    """#

  private static let hidden = ["note", "marks", "counts", "home"]

  private static func server(limits: SessionLimits = SessionLimits()) throws -> RoleServer {
    let server = try RoleServer(JSONParser.parse(roles), limits: limits)
    try server.setCustomData(["admin": .bool(true)], of: "root")
    return server
  }

  private static func device(
    _ user: String, on server: RoleServer, _ queries: [String: String] = ["Doc": "TRUEPREDICATE"]
  ) async throws -> RoleDevice {
    let device = try await RoleDevice.make(user, on: server)
    device.want(queries)
    try await device.connect()
    try await device.upload()
    try await device.downloadAll()
    return device
  }

  /// A change of all properties, with values that are nowhere else.
  private static func step(_ key: String, _ secret: String, makes: Bool = true) -> Step {
    Step(
      className: "Doc", key: key, makes: makes,
      values: [
        "owner": .string("u1"), "level": .integer(1), "note": .string("\(secret)-note"),
        "marks": .integer(7), "counts": .object([JSONMember("\(secret)-count", .integer(9))]),
        "home": .string("\(secret)-home"),
      ])
  }

  /// Others wait for what is asked of the objects of an upload.
  @Test func anUploadHasALimitOfComparisons() async throws {
    let device = try await Self.device("root", on: Self.server())
    try device.write((0..<10).map { Self.step("\($0)", "s") })
    let error = await #expect(throws: SessionRefusal.self) {
      _ = try await WriteCheck.$comparisonCountMax.withValue(9) { try await device.upload() }
    }
    expectEqual(error?.code, .badChangeset)
  }

  /// The elements of a list that a condition looks into count, too.
  @Test(arguments: [(40, true), (2_000, false)])
  func theComparisonsOfAnUploadCountElements(limit: Int, isRefused: Bool) async throws {
    let device = try await Self.device("root", on: Self.server(), ["Doc": "ANY marks >= 0"])
    let marks = (0..<50).map { index in
      Step(
        className: "Doc", key: "one", makes: index == 0, values: ["marks": .integer(Int64(index))])
    }
    try device.write(marks)
    let write = {
      try await WriteCheck.$comparisonCountMax.withValue(limit) {
        _ = try await device.upload()
      }
    }
    if isRefused {
      let error = await #expect(throws: SessionRefusal.self) { try await write() }
      expectEqual(error?.code, .badChangeset)
    } else {
      try await write()
    }
  }

  private static func set(_ key: String, _ values: [String: JSONValue]) -> Step {
    Step(className: "Doc", key: key, values: values)
  }

  private static func object(_ key: String, _ device: RoleDevice) throws -> ModelObject? {
    try device.objects()["Doc"]?[key]
  }

  private static func upload(_ steps: [Step], by device: RoleDevice) async throws -> [String] {
    try device.write(steps)
    return try await device.upload().flatMap(\.updates).map(\.reason).sorted()
  }

  /// Whether any changeset that a device was sent has a text.
  private static func wasSent(_ text: String, to device: RoleDevice) -> Bool {
    let wanted = Array(text.utf8)
    return device.received.contains { bytes in
      bytes.count >= wanted.count
        && (0...bytes.count - wanted.count).contains {
          bytes[$0] == wanted[0] && Array(bytes[$0..<$0 + wanted.count]) == wanted
        }
    }
  }

  private static func expectHidden(
    _ key: String, _ device: RoleDevice, _ location: SourceLocation = #_sourceLocation
  ) throws {
    let object = try #require(try object(key, device), sourceLocation: location)
    for field in hidden {
      #expect(object[field] == RoleObjects.initial[field], "\(field)", sourceLocation: location)
    }
  }

  // MARK: Reading

  /// In the bootstrap, in rounds, as states of objects that enter, and in no byte of them.
  @Test(arguments: [SessionLimits(), SessionLimits(bootstrapByteCount: 64, roundByteCount: 64)])
  func hiddenPropertiesNeverReachADevice(_ limits: SessionLimits) async throws {
    let server = try Self.server(limits: limits)
    let root = try await Self.device("root", on: server)
    #expect(try await Self.upload([Self.step("old", "secret-1")], by: root).isEmpty)
    let ann = try await Self.device("u1", on: server)
    let few = try await Self.device("u1", on: server, ["Doc": "level > 4"])
    _ = try await Self.upload([Self.step("new", "secret-2")], by: root)
    try await ann.downloadAll()
    _ = try await Self.upload(
      [Self.step("old", "secret-3", makes: false), Self.set("new", ["level": .integer(5)])],
      by: root)
    for device in [ann, few] { try await device.downloadAll() }
    try expectEqual(Self.object("new", ann)?["level"], .integer(5))
    try expectEqual(Self.object("old", ann)?["owner"], .string("u1"))
    for key in ["old", "new"] { try Self.expectHidden(key, ann) }
    try Self.expectHidden("new", few)
    expectTrue(Self.wasSent("owner", to: ann))
    expectTrue(Self.wasSent("u1", to: few))
    for device in [ann, few] { #expect(!Self.wasSent("secret", to: device)) }
    try await root.downloadAll()
    #expect(Self.wasSent("secret", to: try await Self.device("root", on: server)))
  }

  /// The keys of objects that a client does not see stand in changesets with others that it sees.
  @Test func keysOfUnseenObjectsNeverReachADevice() async throws {
    let server = try Self.server()
    let root = try await Self.device("root", on: server)
    let few = try await Self.device("u1", on: server, ["Doc": "level > 4"])
    let other = Step(
      className: "Doc", key: "seen", makes: true, values: ["level": .integer(5)])
    _ = try await Self.upload([Self.step("unseen-key", "x"), other], by: root)
    try await few.downloadAll()
    expectTrue(Self.wasSent("seen", to: few))
    expectFalse(Self.wasSent("unseen-key", to: few))
  }

  @Test func subscriptionsDoNotAskForHiddenProperties() async throws {
    let server = try Self.server()
    let root = try await Self.device("root", on: server, ["Doc": "note == \"x-note\""])
    _ = try await Self.upload([Self.step("a", "x")], by: root)
    let ann = try await RoleDevice.make("u1", on: server)
    try await ann.connect()
    for condition in [
      "note == \"x-note\"", "level > 0 AND note != \"\"", "marks.@count > 0", "7 IN marks",
    ] {
      let query = VersionedQuery(version: 1, document: QueryDocument(queries: ["Doc": condition]))
      guard case .queryRefused(let message)? = await ann.store?.perform(.setQuery(query)) else {
        Issue.record("\(condition) is accepted")
        continue
      }
      let field = condition.contains("note") ? "note" : "marks"
      expectEqual(message, "Invalid query: \"Doc\": the user may not read \"\(field)\"")
    }
    // The primary key belongs to every object.
    ann.want(["Doc": "_id == \"a\""])
    try await ann.downloadAll()
    try Self.expectHidden("a", ann)
    // A subscription that was legal selects nothing any more.
    await root.disconnect()
    try server.setCustomData([:], of: "root")
    try await root.connect()
    try await root.downloadAll()
    try expectEqual(Self.object("a", root), nil)
    let late = Step(className: "Doc", key: "b", makes: true, values: ["level": .integer(1)])
    let reasons = try await Self.upload([late], by: root)
    expectEqual(reasons.count, 1)
    #expect(reasons.allSatisfy { $0.hasSuffix("current query view") })
    root.want(["Doc": "level > 0"])
    try await root.downloadAll()
    try Self.expectHidden("a", root)
  }

  /// It has no object, whatever the property of that is: what its device makes is outside of it.
  @Test func aSubscriptionToAPropertyHiddenSinceHasNoObject() async throws {
    let server = try Self.server()
    let root = try await Self.device("root", on: server, ["Doc": "note == \"\""])
    await root.disconnect()
    try server.setCustomData([:], of: "root")
    try await root.connect()
    try await root.downloadAll()
    let late = Step(className: "Doc", key: "b", makes: true, values: ["level": .integer(1)])
    let reasons = try await Self.upload([late], by: root)
    expectEqual(reasons.count, 1)
    #expect(reasons.allSatisfy { $0.hasSuffix("current query view") })
    #expect(try await server.objects(ofClass: "Doc").isEmpty)
  }

  // MARK: Writing

  /// What may not be read is not written; new objects have the values of new objects there.
  @Test func hiddenPropertiesAreNotWritten() async throws {
    let server = try Self.server()
    let root = try await Self.device("root", on: server)
    _ = try await Self.upload([Self.step("a", "x"), Self.step("b", "x")], by: root)
    let before = try await server.objects(ofClass: "Doc")
    let ann = try await Self.device("u1", on: server)
    let initial = Step(
      className: "Doc", key: "c", makes: true,
      values: ["note": .string(""), "level": .integer(2)])
    let reasons = try await Self.upload(
      [
        Self.set("a", ["note": .string("y")]), Self.set("b", ["marks": .integer(1)]), initial,
        Self.step("d", "y"),
      ], by: ann)
    expectEqual(reasons, ["a", "b", "d"].map { "write to \"\($0)\" in table \"Doc\" not allowed" })
    let after = try await server.objects(ofClass: "Doc")
    expectEqual(after["a"], before["a"])
    expectEqual(after["b"], before["b"])
    expectTrue(after["d"] == nil)
    expectEqual(after["c"]?["level"], .integer(2))
    try await ann.downloadAll()
    for key in ["a", "b", "c"] { try Self.expectHidden(key, ann) }
    try expectEqual(Self.object("d", ann), nil)
  }

  /// A new object that others have made meanwhile takes nothing from them.
  @Test func whatOthersWroteIsNotReplacedByAHiddenInitialValue() async throws {
    let server = try Self.server()
    let root = try await Self.device("root", on: server)
    let ann = try await Self.device("u1", on: server)
    _ = try await Self.upload([Self.step("a", "x")], by: root)
    let late = Step(
      className: "Doc", key: "a", makes: true,
      values: ["note": .string(""), "level": .integer(2)])
    #expect(try await Self.upload([late], by: ann).isEmpty)
    let object = try await server.objects(ofClass: "Doc")["a"]
    expectEqual(object?["note"], .string("x-note"))
    expectEqual(object?["level"], .integer(2))
    try await ann.downloadAll()
    try Self.expectHidden("a", ann)
    try expectEqual(Self.object("a", ann)?["level"], .integer(2))
  }

  // MARK: Other roles

  /// What appears arrives, what disappears becomes as in new objects, and what the device has not
  /// uploaded of other properties stays: whether it is uploaded before or after the new view.
  @Test(arguments: [false, true], [false, true])
  func anotherRoleShowsAndHides(uploadsFirst: Bool, arrives: Bool) async throws {
    let server = try Self.server()
    let root = try await Self.device("root", on: server)
    _ = try await Self.upload([Self.step("a", "x"), Self.step("b", "x")], by: root)
    let ann = try await Self.device("u1", on: server)
    for (isAdmin, level) in [(true, 4), (false, 5), (true, 6)] as [(Bool, Int64)] {
      await ann.disconnect()
      try server.setCustomData(["admin": .bool(isAdmin)], of: "u1")
      try ann.write([Self.set("a", ["level": .integer(level)])])
      _ = try await Self.upload(
        [Self.set("b", ["level": .integer(level)]), Self.set("b", ["marks": .integer(level)])],
        by: root)
      try await ann.connect()
      expectTrue(ann.isWaiting)
      if !arrives {
        try await ann.download(arrives: false)
        try await ann.connect()
      }
      if uploadsFirst { try await ann.upload() }
      try await ann.downloadAll()
      let reports = try await ann.upload()
      expectTrue(reports.isEmpty)
      try await ann.downloadAll()
      let objects = try await server.objects(ofClass: "Doc")
      expectEqual(objects["a"]?["level"], .integer(level))
      if isAdmin {
        try expectEqual(ann.objects()["Doc"], objects)
        // From now on it writes them.
        #expect(try await Self.upload([Self.set("a", ["marks": .integer(level)])], by: ann).isEmpty)
        try await root.downloadAll()
        try expectEqual(
          Self.object("a", root)?["marks"]?.array?.last, .integer(level))
      } else {
        for key in ["a", "b"] { try Self.expectHidden(key, ann) }
        try expectEqual(Self.object("a", ann)?["level"], .integer(level))
      }
    }
  }

  /// A change that was made when the property was hidden, or after it was, is no change of what
  /// others have there.
  @Test(arguments: [false, true])
  func writesAcrossAChangeAreRefused(becomesAdmin: Bool) async throws {
    let server = try Self.server()
    let root = try await Self.device("root", on: server)
    _ = try await Self.upload([Self.step("a", "x"), Self.step("b", "x")], by: root)
    try server.setCustomData(["admin": .bool(!becomesAdmin)], of: "u1")
    let ann = try await Self.device("u1", on: server)
    await ann.disconnect()
    try ann.write([
      Self.set("a", ["marks": .integer(1), "level": .integer(3)]),
      Self.set("b", ["level": .integer(3)]),
    ])
    try server.setCustomData(["admin": .bool(becomesAdmin)], of: "u1")
    try await ann.connect()
    let reports = try await ann.upload()
    expectEqual(reports.flatMap(\.updates).map(\.key), [.string("a")])
    try await ann.downloadAll()
    let objects = try await server.objects(ofClass: "Doc")
    expectEqual(objects["a"]?["marks"], .array([.integer(7)]))
    expectEqual(objects["b"]?["level"], .integer(3))
    if becomesAdmin {
      try expectEqual(ann.objects()["Doc"], objects)
    } else {
      for key in ["a", "b"] { try Self.expectHidden(key, ann) }
    }
  }

  /// In development mode everything may be written, but not what was written without being seen.
  @Test func writesFromBeforeDevelopmentModeAreReported() async throws {
    let server = try Self.server()
    let root = try await Self.device("root", on: server)
    _ = try await Self.upload([Self.step("a", "x"), Self.step("b", "x")], by: root)
    let ann = try await Self.device("u1", on: server)
    try ann.write([
      Self.set("a", ["note": .string("y")]), Self.set("b", ["level": .integer(3)]),
    ])
    for device in [root, ann] { device.loseServer() }
    try server.restart(roles: nil)
    try await ann.connect()
    try await expectEqual(ann.upload().flatMap(\.updates).map(\.key), [.string("a")])
    try await ann.downloadAll()
    let objects = try await server.objects(ofClass: "Doc")
    expectEqual(objects["a"]?["note"], .string("x-note"))
    expectEqual(objects["b"]?["level"], .integer(3))
    try expectEqual(ann.objects()["Doc"], objects)
    #expect(try await Self.upload([Self.set("a", ["note": .string("z")])], by: ann).isEmpty)
  }

  /// The device makes an object that another user makes as well, before it is sent what its new
  /// role shows: the initial value that it wrote without seeing the property hides nothing.
  @Test(arguments: [false, true])
  func anInitialValueFromBeforeAnotherRoleHidesNothing(uploadsFirst: Bool) async throws {
    let server = try Self.server()
    let root = try await Self.device("root", on: server)
    let ann = try await Self.device("u1", on: server)
    await ann.disconnect()
    _ = try await Self.upload([Self.step("a", "x")], by: root)
    try ann.write([
      Step(
        className: "Doc", key: "a", makes: true,
        values: ["note": .string(""), "level": .integer(2)])
    ])
    try server.setCustomData(["admin": .bool(true)], of: "u1")
    try await ann.connect()
    if uploadsFirst { try await ann.upload() }
    try await ann.downloadAll()
    #expect(try await ann.upload().isEmpty)
    try await ann.downloadAll()
    let objects = try await server.objects(ofClass: "Doc")
    expectEqual(objects["a"]?["note"], .string("x-note"))
    expectEqual(objects["a"]?["level"], .integer(2))
    try expectEqual(ann.objects()["Doc"], objects)
  }

  /// `ViewFilters` 1: a bootstrap that did not arrive is none, also when the user has the old role
  /// in the next session.
  @Test func aRoleThatCameAndWentLeavesTheDeviceAsItWas() async throws {
    let server = try Self.server()
    let root = try await Self.device("root", on: server)
    _ = try await Self.upload([Self.step("a", "x")], by: root)
    let ann = try await Self.device("u1", on: server)
    func change(isAdmin: Bool) async throws {
      await ann.disconnect()
      try server.setCustomData(["admin": .bool(isAdmin)], of: "u1")
      try await ann.connect()
    }
    try await change(isAdmin: true)
    try await ann.download(arrives: false)
    try await change(isAdmin: false)
    _ = try await Self.upload([Self.set("a", ["level": .integer(8)])], by: root)
    try await ann.downloadAll()
    try Self.expectHidden("a", ann)
    try expectEqual(Self.object("a", ann)?["level"], .integer(8))
    try await change(isAdmin: true)
    try await ann.downloadAll()
    let objects = try await server.objects(ofClass: "Doc")
    try expectEqual(ann.objects()["Doc"], objects)
  }
}
