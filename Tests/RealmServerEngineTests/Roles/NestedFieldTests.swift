// SPDX-License-Identifier: Apache-2.0

// Rules of the properties of embedded objects: what devices are sent of them, and what may be
// changed.

import RealmFormats
import RealmSyncProtocol
import RealmTables
import TestExtensions
import Testing

@testable import RealmServerEngine

struct NestedFieldTests {
  private typealias Step = RoleObjects.Step

  /// Admins see everything; all others do not see alarms, and change streets alone. Guards see
  /// them, and change nothing in homes.
  private static let roles = #"""
    {"default": [
      {"name": "admin", "apply_when": {"%%user.custom_data.admin": true}, "read": true,
        "write": true, "insert": true, "delete": true},
      {"name": "guard", "apply_when": {"%%user.custom_data.guard": true}, "read": true,
        "write": true, "insert": true, "delete": true, "fields": {
          "home": {"fields": {"alarm": {"write": false}}},
          "rooms": {"fields": {"alarm": {"write": false}}}}},
      {"name": "user", "apply_when": {}, "read": true, "write": true, "insert": true,
        "delete": true, "fields": {
          "home": {"fields": {"alarm": {"read": false, "write": false}}},
          "rooms": {"additional_fields": {"read": false, "write": false},
            "fields": {"street": {"read": true, "write": true}}}}}]}
    """#

  private static func server(_ limits: SessionLimits = SessionLimits()) throws -> RoleServer {
    let server = try RoleServer(JSONParser.parse(roles), limits: limits)
    try server.setCustomData(["admin": .bool(true)], of: "root")
    try server.setCustomData(["guard": .bool(true)], of: "gus")
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

  private static func home(_ street: String, _ alarm: String) -> JSONValue {
    RoleObjects.embedded { $0 == "street" ? street : alarm }
  }

  private static func make(_ key: String, _ street: String, _ alarm: String) -> Step {
    Step(
      className: "Doc", key: key, makes: true,
      values: ["home": home(street, alarm), "rooms": home(street, alarm)])
  }

  private static func set(_ key: String, _ values: [String: JSONValue]) -> Step {
    Step(className: "Doc", key: key, values: values)
  }

  /// The objects that were refused.
  private static func upload(_ steps: [Step], by device: RoleDevice) async throws -> [String] {
    try device.write(steps)
    return try await device.upload().flatMap(\.updates).map { "\($0.key)" }.sorted()
  }

  private static func wasSent(_ text: String, to device: RoleDevice) -> Bool {
    device.received.contains { String(decoding: $0, as: UTF8.self).contains(text) }
  }

  private static func parts(_ key: String, _ device: RoleDevice) throws -> [JSONValue?] {
    let object = try device.objects()["Doc"]?[key]
    return [object?["home"], object?["rooms"]?.array?.first]
  }

  /// In the bootstrap, in rounds, and as states of objects that enter.
  @Test(arguments: [SessionLimits(), SessionLimits(bootstrapByteCount: 64, roundByteCount: 64)])
  func hiddenPartsNeverReachADevice(_ limits: SessionLimits) async throws {
    let server = try Self.server(limits)
    let root = try await Self.device("root", on: server)
    #expect(try await Self.upload([Self.make("old", "s1", "secret-1")], by: root).isEmpty)
    let ann = try await Self.device("ann", on: server)
    let few = try await Self.device("ann", on: server, ["Doc": "level > 4"])
    try expectEqual(Self.parts("old", ann), [Self.home("s1", ""), Self.home("s1", "")])
    _ = try await Self.upload(
      [
        Self.make("new", "s2", "secret-2"),
        Self.set(
          "old",
          [
            "home.alarm": .string("secret-3"), "home.street": .string("s3"),
            "rooms.alarm": .string("secret-3"), "rooms.street": .string("s3"),
          ]),
      ], by: root)
    try await ann.downloadAll()
    _ = try await Self.upload([Self.set("new", ["level": .integer(5)])], by: root)
    for device in [ann, few] { try await device.downloadAll() }
    try expectEqual(Self.parts("old", ann), [Self.home("s3", ""), Self.home("s3", "")])
    try expectEqual(Self.parts("new", ann), [Self.home("s2", ""), Self.home("s2", "")])
    try expectEqual(Self.parts("new", few), [Self.home("s2", ""), Self.home("s2", "")])
    expectTrue(Self.wasSent("s3", to: ann))
    expectTrue(Self.wasSent("s2", to: few))
    for device in [ann, few] { #expect(!Self.wasSent("secret", to: device)) }
    #expect(Self.wasSent("secret", to: try await Self.device("gus", on: server)))
  }

  /// `WriteCheck` 3, for those who see what they may not change, and for those who do not.
  @Test(arguments: ["gus", "ann"])
  func theRestOfAnEmbeddedObjectStays(_ user: String) async throws {
    let server = try Self.server()
    let root = try await Self.device("root", on: server)
    let keys = ["a", "b", "c", "d", "e"]
    _ = try await Self.upload(keys.map { Self.make($0, "s", "x") }, by: root)
    let device = try await Self.device(user, on: server)
    // Streets may change, new objects have no alarm, and lists get longer.
    let allowed = [
      Self.set("a", ["home.street": .string("t"), "rooms.street": .string("t")]),
      Self.set("b", ["rooms": Self.home("u", "")]), Self.make("new", "v", ""),
    ]
    #expect(try await Self.upload(allowed, by: device).isEmpty)
    var objects = try await server.objects(ofClass: "Doc")
    expectEqual(objects["a"]?["home"], Self.home("t", "x"))
    expectEqual(objects["a"]?["rooms"], .array([Self.home("t", "x")]))
    expectEqual(objects["b"]?["rooms"], .array([Self.home("s", "x"), Self.home("u", "")]))
    expectEqual(objects["new"]?["home"], Self.home("v", ""))
    // Alarms are neither changed, nor replaced with their object, nor given to new ones.
    let refused = [
      Self.set("a", ["home.alarm": .string("y")]), Self.set("b", ["home": Self.home("w", "")]),
      Self.set("c", ["rooms.alarm": .string("")]), Self.set("d", ["rooms": Self.home("w", "y")]),
      Self.make("other", "w", "y"),
    ]
    let before = objects
    let reported = try await Self.upload(refused, by: device)
    expectEqual(reported, ["a", "b", "c", "d", "other"].map { "\"\($0)\"" })
    objects = try await server.objects(ofClass: "Doc")
    expectEqual(objects, before)
    try await device.downloadAll()
    let alarm = user == "gus" ? "x" : ""
    try expectEqual(Self.parts("a", device), [Self.home("t", alarm), Self.home("t", alarm)])
    try expectEqual(Self.parts("b", device)[0], Self.home("s", alarm))
    try expectEqual(device.objects()["Doc"]?["other"], nil)
  }

  /// What appears and disappears within an embedded object leaves the rest as it is, also what the
  /// device has changed of it and not uploaded.
  @Test(arguments: [false, true])
  func anotherRoleShowsAndHidesParts(uploadsFirst: Bool) async throws {
    let server = try Self.server()
    let root = try await Self.device("root", on: server)
    _ = try await Self.upload([Self.make("a", "s", "x"), Self.make("b", "s", "x")], by: root)
    let ann = try await Self.device("ann", on: server)
    for (isGuard, street) in [(true, "t"), (false, "u"), (true, "v")] {
      await ann.disconnect()
      try server.setCustomData(["guard": .bool(isGuard)], of: "ann")
      try ann.write([
        Self.set("a", ["home.street": .string(street), "rooms.street": .string(street)])
      ])
      _ = try await Self.upload([Self.set("b", ["home.alarm": .string(street)])], by: root)
      try await ann.connect()
      expectTrue(ann.isWaiting)
      if uploadsFirst { try await ann.upload() }
      try await ann.downloadAll()
      #expect(try await ann.upload().isEmpty)
      try await ann.downloadAll()
      let alarm = isGuard ? "x" : ""
      try expectEqual(Self.parts("a", ann), [Self.home(street, alarm), Self.home(street, alarm)])
      try expectEqual(Self.parts("b", ann)[0], Self.home("s", isGuard ? street : ""))
      let objects = try await server.objects(ofClass: "Doc")
      expectEqual(objects["a"]?["home"], Self.home(street, "x"))
    }
  }

  /// Rules within a property without embedded objects allow nothing of it.
  @Test func partsOfOtherPropertiesAreNothing() async throws {
    let rules = Self.roles.replacing("\"rooms\"", with: "\"note\"")
    let server = try RoleServer(JSONParser.parse(rules))
    try server.setCustomData(["admin": .bool(true)], of: "root")
    let root = try await Self.device("root", on: server)
    let note: Step = Step(
      className: "Doc", key: "a", makes: true, values: ["note": .string("secret")])
    _ = try await Self.upload([note], by: root)
    let ann = try await Self.device("ann", on: server)
    try expectEqual(ann.objects()["Doc"]?["a"]?["note"], .string(""))
    expectFalse(Self.wasSent("secret", to: ann))
    try await expectEqual(Self.upload([Self.set("a", ["note": .string("x")])], by: ann).count, 1)
    try await expectEqual(server.objects(ofClass: "Doc")["a"]?["note"], .string("secret"))
  }
}
