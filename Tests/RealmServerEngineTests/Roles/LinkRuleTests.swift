// SPDX-License-Identifier: Apache-2.0

// Rules of properties with links, where the target is missing: the link leads to an object of its
// key as soon as there is one.

import RealmFormats
import RealmSyncProtocol
import RealmTables
import TestExtensions
import Testing

@testable import RealmServerEngine

struct LinkRuleTests {
  private typealias Step = RoleObjects.Step

  /// Admins may do everything; all others make no objects of "Log", and do not change links.
  private static let roles = #"""
    {"default": [
      {"name": "admin", "apply_when": {"%%user.custom_data.admin": true}, "read": true,
        "write": true, "insert": true, "delete": true},
      {"name": "user", "apply_when": {}, "read": true, "write": true, "delete": true}],
    "classes": {"Doc": [
      {"name": "admin", "apply_when": {"%%user.custom_data.admin": true}, "read": true,
        "write": true, "insert": true, "delete": true},
      {"name": "user", "apply_when": {}, "read": true, "write": true, "insert": true,
        "delete": true, "fields": {"friend": {"write": false}, "friends": {"write": false}}}]}}
    """#

  private static func server() throws -> RoleServer {
    let server = try RoleServer(JSONParser.parse(roles))
    try server.setCustomData(["admin": .bool(true)], of: "root")
    return server
  }

  private static func device(
    _ user: String, on server: RoleServer,
    _ queries: [String: String] = ["Doc": "TRUEPREDICATE", "Log": "TRUEPREDICATE"]
  ) async throws -> RoleDevice {
    let device = try await RoleDevice.make(user, on: server)
    device.want(queries)
    try await device.connect()
    try await device.upload()
    try await device.downloadAll()
    return device
  }

  private static func make(
    _ name: String, _ key: String, _ values: [String: JSONValue] = [:]
  ) -> Step {
    Step(className: name, key: key, makes: true, values: values)
  }

  /// The objects that were refused.
  private static func upload(_ steps: [Step], by device: RoleDevice) async throws -> [String] {
    try device.write(steps)
    return try await device.upload().flatMap(\.updates).map { "\($0.table) \($0.key)" }.sorted()
  }

  /// The target was refused, so the link would wait for somebody who may make it.
  @Test(arguments: ["friend", "friends"])
  func aNewObjectLinksToNoMissingOneWhereLinksMayNotBeWritten(_ field: String) async throws {
    let server = try Self.server()
    let ann = try await Self.device("u1", on: server)
    let refused = try await Self.upload(
      [
        Self.make("Log", "l"), Self.make("Doc", "a", [field: .string("l")]),
        Self.make("Doc", "b", ["level": .integer(1)]),
      ], by: ann)
    expectEqual(refused, ["Doc \"a\"", "Log \"l\""])
    let objects = try await server.objects(ofClass: "Doc")
    expectEqual(objects.keys.sorted(), ["b"])
    try await ann.downloadAll()
    try expectEqual(ann.objects()["Doc"], objects)
  }

  /// A link to an object that a device does not see, or that is gone, is the same at the server and
  /// at the device, and leads to the object when that comes.
  @Test func linksWaitForTheirObjects() async throws {
    let server = try Self.server()
    let root = try await Self.device("root", on: server)
    let few = try await Self.device("u1", on: server, ["Doc": "TRUEPREDICATE"])
    let both = try await Self.device("u1", on: server)
    _ = try await Self.upload(
      [
        Self.make("Log", "l"),
        Self.make("Doc", "a", ["friend": .string("l"), "friends": .string("l")]),
      ], by: root)
    for device in [few, both] { try await device.downloadAll() }
    let linked = try await server.objects(ofClass: "Doc")["a"]
    expectEqual(linked?["friend"], .string("l"))
    expectEqual(linked?["friends"], .array([.string("l")]))
    for device in [few, both] { try expectEqual(device.objects()["Doc"]?["a"], linked) }
    // Whoever sees the links takes them along with the object, if that is allowed.
    let erasure = Step(className: "Log", key: "l", isErased: true)
    try await expectEqual(Self.upload([erasure], by: both), ["Doc \"a\""])
    #expect(try await server.objects(ofClass: "Log").isEmpty)
    for device in [root, few, both] {
      try await device.downloadAll()
      try expectEqual(device.objects()["Doc"]?["a"], linked)
    }
    _ = try await Self.upload([Self.make("Log", "l")], by: root)
    try await expectEqual(Self.upload([erasure], by: root), [])
    let unlinked = try await server.objects(ofClass: "Doc")["a"]
    expectEqual(unlinked?["friend"], .null)
    expectEqual(unlinked?["friends"], .array([]))
    for device in [few, both] {
      try await device.downloadAll()
      try expectEqual(device.objects()["Doc"]?["a"], unlinked)
    }
  }
}
