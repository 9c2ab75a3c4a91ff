// SPDX-License-Identifier: Apache-2.0

// Sessions of users with roles: what they are sent, what becomes of their writes, and what another
// role changes.

import RealmFormats
import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine

struct RoleSessionTests {
  private typealias Step = RoleObjects.Step

  /// Users read and write what is theirs, read what is open, and may not change notes.
  private static let owners = #"""
    {"default": [
      {"name": "admin", "apply_when": {"%%user.custom_data.admin": true}, "read": true,
        "write": true, "insert": true, "delete": true},
      {"name": "owner", "apply_when": {}, "read": true, "write": true, "insert": true,
        "delete": true, "document_filters": {"read": {"open": true},
          "write": {"owner": "%%user.id"}}, "fields": {"note": {"write": false}}}]}
    """#

  private static func server(
    _ roles: String = owners, limits: SessionLimits = SessionLimits()
  ) throws -> RoleServer {
    let server = try RoleServer(JSONParser.parse(roles), limits: limits)
    try server.setCustomData(["admin": .bool(true)], of: "root")
    return server
  }

  /// A device with all objects that its user may read.
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
    _ key: String, owner: String = "", level: Int64 = 0, open: Bool = false, note: String? = nil
  ) -> Step {
    var step = Step(className: "Doc", key: key, makes: true)
    step.values = ["owner": .string(owner), "level": .integer(level), "open": .bool(open)]
    if let note { step.values["note"] = .string(note) }
    return step
  }

  private static func set(_ key: String, _ values: [String: JSONValue]) -> Step {
    Step(className: "Doc", key: key, values: values)
  }

  private static func erase(_ key: String) -> Step {
    Step(className: "Doc", key: key, isErased: true)
  }

  /// Writes and uploads; the reasons of what is refused.
  private static func upload(
    _ steps: [Step], by device: RoleDevice
  ) async throws -> [String] {
    try device.write(steps)
    return try await device.upload().flatMap(\.updates).map(\.reason).sorted()
  }

  private static func keys(_ device: RoleDevice) throws -> Set<String> {
    Set(try device.objects()["Doc"]?.keys.map { $0 } ?? [])
  }

  // MARK: Reading

  @Test func usersSeeWhatTheirRolesAndSubscriptionsSelect() async throws {
    let server = try Self.server()
    let root = try await Self.device("root", on: server)
    #expect(
      try await Self.upload(
        [
          Self.make("mine", owner: "u1", level: 1), Self.make("yours", owner: "u2", level: 1),
          Self.make("open", owner: "u2", level: 2, open: true),
        ], by: root
      ).isEmpty)
    let ann = try await Self.device("u1", on: server)
    try expectEqual(Self.keys(ann), ["mine", "open"])
    let few = try await Self.device("u1", on: server, ["Doc": "level > 1"])
    try expectEqual(Self.keys(few), ["open"])
    // What happens later enters and leaves.
    _ = try await Self.upload(
      [
        Self.set("yours", ["owner": .string("u1")]), Self.set("open", ["open": .bool(false)]),
        Self.set("mine", ["note": .string("x")]),
      ], by: root)
    try await ann.downloadAll()
    try expectEqual(Self.keys(ann), ["mine", "yours"])
    try expectEqual(ann.objects()["Doc"]?["mine"]?["note"], .string("x"))
    try await few.downloadAll()
    #expect(try Self.keys(few).isEmpty)
  }

  /// `AppRoles` 1, `WriteCheck` 2: no role, no access; the session stays.
  @Test func withoutARoleNothingIsSeenOrWritten() async throws {
    let server = try Self.server(
      #"{"classes": {"Doc": [{"name": "r", "apply_when": {"%%user.custom_data.admin": true}, "#
        + #""write": true, "insert": true}]}}"#)
    let root = try await Self.device("root", on: server)
    #expect(try await Self.upload([Self.make("a")], by: root).isEmpty)
    let ann = try await Self.device("u1", on: server)
    #expect(try Self.keys(ann).isEmpty)
    let reasons = try await Self.upload([Self.make("b")], by: ann)
    expectEqual(reasons, ["write to \"b\" in table \"Doc\" not allowed"])
    try await expectEqual(server.objects(ofClass: "Doc").keys.sorted(), ["a"])
    // The default list is empty.
    var log = Self.make("c")
    log = Step(className: "Log", key: "c", makes: true, values: log.values)
    try await expectEqual(Self.upload([log], by: root).count, 1)
  }

  // MARK: Writing

  /// P4 C.2, P4 C.3: object by object, with the rest of the changeset kept. `WriteCheck` 1, and
  /// `Compensation` 1: what the user still sees comes again.
  @Test func eachChangeIsCheckedBeforeAndAfterIt() async throws {
    let server = try Self.server()
    let root = try await Self.device("root", on: server)
    let other = try await Self.device("u2", on: server)
    _ = try await Self.upload(
      [
        Self.make("a", owner: "u1"), Self.make("b", owner: "u1"), Self.make("c", owner: "u1"),
        Self.make("open", owner: "u2", open: true), Self.make("gone", owner: "u1"),
      ], by: root)
    let ann = try await Self.device("u1", on: server)
    let reasons = try await Self.upload(
      [
        Self.set("a", ["level": .integer(3)]),
        // It would be another user's.
        Self.set("b", ["owner": .string("u2"), "level": .integer(3)]),
        Self.set("c", ["note": .string("n")]),
        // It is another user's.
        Self.set("open", ["owner": .string("u1")]), Self.erase("gone"),
        Self.make("new", owner: "u1", level: 3), Self.make("bad", owner: "u2"),
        Self.make("noted", owner: "u1", note: "n"), Self.make("empty", owner: "u1", note: ""),
      ], by: ann)
    expectEqual(
      reasons,
      ["b", "bad", "c", "noted", "open"].map {
        "write to \"\($0)\" in table \"Doc\" not allowed"
      })
    let objects = try await server.objects(ofClass: "Doc")
    expectEqual(objects.keys.sorted(), ["a", "b", "c", "empty", "new", "open"])
    expectEqual(objects["a"]?["level"], .integer(3))
    expectEqual(objects["new"]?["level"], .integer(3))
    expectEqual(objects["b"]?["owner"], .string("u1"))
    expectEqual(objects["b"]?["level"], .integer(0))
    expectEqual(objects["c"]?["note"], .string(""))
    expectEqual(objects["open"]?["owner"], .string("u2"))
    // The device takes the refused ones back.
    try await ann.downloadAll()
    try expectEqual(ann.objects()["Doc"], objects)
    // Nothing of them reaches others.
    try await other.downloadAll()
    try expectEqual(Self.keys(other), ["open"])
    try await root.downloadAll()
    try expectEqual(root.objects()["Doc"], objects)
  }

  /// `WriteCheck` 2: a condition on a property that the class does not have.
  @Test(arguments: ["missing", "level"])
  func aConditionThatDoesNotFitAllowsNothing(_ field: String) async throws {
    let server = try Self.server(
      #"{"default": [{"name": "r", "apply_when": true, "read": true, "write": true, "#
        + #""insert": true, "delete": true, "#
        + #""document_filters": {"read": true, "write": {"\#(field)": 1}}}]}"#)
    let device = try await Self.device("u1", on: server)
    let reasons = try await Self.upload([Self.make("a", level: 1)], by: device)
    let isRefused = field == "missing"
    expectEqual(reasons, isRefused ? [#"write to "a" in table "Doc" not allowed"#] : [])
    try await expectEqual(server.objects(ofClass: "Doc").keys.sorted(), isRefused ? [] : ["a"])
  }

  @Test func insertionsAndDeletionsNeedTheirOwnPermission() async throws {
    func server(_ flags: String) async throws -> (RoleServer, RoleDevice) {
      let server = try Self.server(
        #"{"default": [{"name": "admin", "apply_when": {"%%user.custom_data.admin": true}, "#
          + #""write": true, "insert": true}, "#
          + #"{"name": "r", "apply_when": true, "read": true, \#(flags)}]}"#)
      let root = try await Self.device("root", on: server)
      _ = try await Self.upload([Self.make("a"), Self.make("b")], by: root)
      return (server, try await Self.device("u1", on: server))
    }
    let steps = [Self.set("a", ["level": .integer(1)]), Self.erase("b"), Self.make("c", level: 1)]
    for (flags, refused) in [
      (#""write": true"#, ["b", "c"]), (#""write": true, "insert": true"#, ["b"]),
      (#""write": true, "delete": true"#, ["c"]),
      // New objects have the values of new objects, unless they may be changed.
      (#""insert": true, "delete": true"#, ["a", "c"]),
      (#""write": true, "insert": true, "delete": true"#, []),
    ] {
      let (_, device) = try await server(flags)
      let reasons = try await Self.upload(steps, by: device)
      expectEqual(
        reasons, refused.map { "write to \"\($0)\" in table \"Doc\" not allowed" }, "\(flags)")
    }
    let (_, device) = try await server(#""insert": true"#)
    #expect(
      try await Self.upload([Step(className: "Doc", key: "d", makes: true)], by: device).isEmpty)
  }

  @Test func whatIsOutsideOfTheViewIsRefusedWithItsReason() async throws {
    let server = try Self.server()
    let root = try await Self.device("root", on: server, ["Doc": "level > 1"])
    try await expectEqual(
      Self.upload([Self.make("a", level: 1), Self.make("b", level: 2)], by: root),
      [
        "write to \"a\" in table \"Doc\" not allowed; object is outside of the current query view"
      ])
    // A change may move an object out of the view.
    #expect(try await Self.upload([Self.set("b", ["level": .integer(0)])], by: root).isEmpty)
    try await root.downloadAll()
    #expect(try Self.keys(root).isEmpty)
    // An object that is there and not seen is not overwritten by one of the same key.
    try await expectEqual(Self.upload([Self.make("b", level: 3)], by: root).count, 1)
    try await expectEqual(server.objects(ofClass: "Doc")["b"]?["level"], .integer(0))
    try await root.downloadAll()
    #expect(try Self.keys(root).isEmpty)
    // Subscriptions before and after a change both count: what was written by the old ones is
    // uploaded after it.
    root.want(["Doc": "level < 1"])
    try await root.downloadAll()
    try expectEqual(Self.keys(root), ["b"])
    try await expectEqual(
      Self.upload(
        [Self.make("c", level: 3), Self.make("d"), Self.make("e", level: 1)], by: root
      ).count, 1)
  }

  /// What follows a refused change in the same upload was made of something that the server does
  /// not have; what came before it stays.
  @Test func changesAfterARefusedOneAreRefusedWithIt() async throws {
    let server = try Self.server()
    let ann = try await Self.device("u1", on: server)
    try ann.write([Self.make("a", owner: "u1", level: 1), Self.make("b", owner: "u2")])
    try ann.write([
      Self.set("a", ["owner": .string("u3")]), Self.set("b", ["owner": .string("u1")]),
    ])
    try ann.write([Self.set("a", ["owner": .string("u1"), "level": .integer(2)])])
    let reports = try await ann.upload()
    expectEqual(reports.count, 1)
    expectEqual(reports.first?.rejectedClientVersion, ann.client.version)
    expectEqual(Set(reports.flatMap(\.updates).map(\.key)), [.string("a"), .string("b")])
    let objects = try await server.objects(ofClass: "Doc")
    expectEqual(objects.keys.sorted(), ["a"])
    expectEqual(objects["a"]?["level"], .integer(1))
    expectEqual(objects["a"]?["owner"], .string("u1"))
    try await ann.downloadAll()
    try expectEqual(ann.objects()["Doc"], objects)
  }

  /// P4 C.3, `WriteCheck` 1: what is merged with the changes of others is checked as all will see
  /// it.
  @Test func whatOthersChangedMeanwhileCounts() async throws {
    let server = try Self.server()
    let root = try await Self.device("root", on: server)
    _ = try await Self.upload([Self.make("a", owner: "u1"), Self.make("b", owner: "u1")], by: root)
    let ann = try await Self.device("u1", on: server)
    try ann.write([Self.set("a", ["level": .integer(1)]), Self.set("b", ["level": .integer(1)])])
    _ = try await Self.upload([Self.set("a", ["owner": .string("u2")])], by: root)
    let reports = try await ann.upload()
    expectEqual(reports.flatMap(\.updates).map(\.key), [.string("a")])
    try await ann.downloadAll()
    try expectEqual(Self.keys(ann), ["b"])
    try await expectEqual(server.objects(ofClass: "Doc")["b"]?["level"], .integer(1))
  }

  /// The uploads of one transaction do not concern each other.
  @Test func refusedWritesHoldUpNoOtherUpload() async throws {
    let server = try Self.server()
    let devices = [
      try await Self.device("u1", on: server), try await Self.device("u2", on: server),
    ]
    var uploads: [Upload] = []
    for device in devices {
      try device.write([Self.make(device.user, owner: "u2")])
      var upload = try #require(try device.client.upload())
      let permissions = SessionPermissions(
        fallback: ClassPermission(
          role: "r", read: .constant(true),
          write: .comparison(field: "owner", .equal, .string(device.user)), inserts: true,
          deletes: true, writable: .all))
      upload.rules = WriteRules(
        permissions: permissions, subscriptions: [["Doc": "TRUEPREDICATE"]])
      uploads.append(upload)
    }
    let outcomes = try await server.realm().integrate(group: uploads)
    #expect(outcomes.allSatisfy { $0.code == nil }, "\(outcomes)")
    try await expectEqual(server.objects(ofClass: "Doc").keys.sorted(), ["u2"])
  }

  // MARK: Reports

  /// P4 C.3: in each session, also of another server, until the client has the version.
  @Test func whatIsRefusedIsReportedUntilItIsAcknowledged() async throws {
    let server = try Self.server()
    let ann = try await Self.device("u1", on: server)
    try ann.write([Self.make("a", owner: "u2")])
    let first = try await ann.upload()
    expectEqual(first.count, 1)
    try ann.write([Self.make("b", owner: "u2")])
    let second = try await ann.upload()
    expectTrue(second.count == 1 && second[0].serverVersion > first[0].serverVersion)
    for isKilled in [false, true] {
      // The round is made, which replaces what undoes the writes, and does not arrive.
      try await ann.download(arrives: false)
      if isKilled {
        ann.loseServer()
        try server.restart(roles: JSONParser.parse(Self.owners))
      }
      try await ann.connect()
      expectEqual(ann.reports, first + second)
    }
    try await ann.downloadAll()
    #expect(try Self.keys(ann).isEmpty)
    await ann.disconnect()
    try await ann.connect()
    expectTrue(ann.reports.isEmpty)
    // Its acknowledgement lets the server forget it.
    let file = ann.client.identity.ident
    #expect(try await !server.realm().store.privates(of: file, after: 0).isEmpty)
    try ann.write([Self.make("c", owner: "u1")])
    try await ann.upload()
    #expect(
      try await server.realm().store.privates(of: file, after: 0).allSatisfy { $0.refusal == nil })
  }

  /// Rules that are gone leave what they refused to be reported.
  @Test func whatIsRefusedIsReportedInDevelopmentModeToo() async throws {
    let server = try Self.server()
    let ann = try await Self.device("u1", on: server)
    try ann.write([Self.make("a", owner: "u2")])
    let reports = try await ann.upload()
    expectEqual(reports.count, 1)
    ann.loseServer()
    try server.restart(roles: nil)
    try await ann.connect()
    expectEqual(ann.reports, reports)
  }

  /// P5 5: a bootstrap with what undoes the writes does not release their report. The machine puts
  /// an entry into the message of the steady state after it (`DueReports` 1).
  @Test func aMessageOfTheSteadyStateFollowsABootstrap() async throws {
    let server = try Self.server()
    let ann = try await Self.device("u1", on: server)
    try ann.write([Self.make("a", owner: "u2")])
    try await expectEqual(ann.upload().count, 1)
    await ann.disconnect()
    try server.setCustomData(["admin": .bool(true)], of: "u1")
    try await ann.connect()
    expectEqual(ann.reports.count, 1)
    expectTrue(ann.isWaiting)
    let store = try #require(ann.store)
    var cursor = ann.client.cursor
    var found: [(ServerMessage.BatchState?, Int)] = []
    for _ in 0..<2 {
      guard case .download(let message) = await store.perform(.nextDownload(after: cursor)) else {
        break
      }
      found.append((message.batchState, try message.body.downloadEntries().count))
      cursor = message.cursors.download
    }
    expectEqual(found.map(\.0), [.last, .steady])
    expectTrue(found.count == 2 && found[0].1 > 0 && found[1].1 == 0)
  }

  /// P1 C.1: clients below protocol 5 know no compensating writes.
  @Test func olderClientsAreReset() async throws {
    let server = try Self.server()
    let ann = try await RoleDevice.make("u1", on: server)
    ann.want(["Doc": "TRUEPREDICATE"])
    try await ann.connect(version: 4)
    try await ann.downloadAll()
    #expect(try await Self.upload([Self.make("a", owner: "u1")], by: ann).isEmpty)
    try ann.write([Self.make("b", owner: "u2")])
    let refusal = try await #require(throws: SessionRefusal.self) { try await ann.upload() }
    expectEqual(refusal.code, .writeNotAllowed)
    expectEqual(refusal.document.action, .clientResetNoRecovery)
  }

  /// A client that acknowledges nothing cannot make the server keep refusals without end.
  @Test func whatIsNotAcknowledgedIsBounded() async throws {
    let server = try Self.server()
    let ann = try await Self.device("u1", on: server)
    for number in 0..<100 {
      try await expectEqual(Self.upload([Self.make("a\(number)", owner: "u2")], by: ann).count, 1)
    }
    try ann.write([Self.make("b", owner: "u2")])
    let refusal = try await #require(throws: SessionRefusal.self) { try await ann.upload() }
    expectEqual(refusal.code, .writeNotAllowed)
  }

  // MARK: Other roles

  /// P4 B.1: what may not be seen any more leaves, what may be seen enters, and nothing is reset.
  @Test(arguments: [false, true])
  func anotherRoleInTheNextSessionChangesTheView(isKilled: Bool) async throws {
    let server = try Self.server()
    let root = try await Self.device("root", on: server)
    _ = try await Self.upload(
      [
        Self.make("mine", owner: "u1"), Self.make("yours", owner: "u2"),
        Self.make("open", owner: "u2", open: true),
      ], by: root)
    let ann = try await Self.device("u1", on: server)
    try server.setCustomData(["admin": .bool(true)], of: "u1")
    // The role stays for the session.
    try await expectEqual(Self.upload([Self.set("open", ["level": .integer(1)])], by: ann).count, 1)
    try await ann.downloadAll()
    for (isAdmin, expected) in [
      (true, ["mine", "open", "yours"] as Set), (false, ["mine", "open"]),
    ] {
      try server.setCustomData(["admin": .bool(isAdmin)], of: "u1")
      if isKilled {
        ann.loseServer()
        try server.restart(roles: JSONParser.parse(Self.owners))
      } else {
        await ann.disconnect()
      }
      try ann.write([Self.set("mine", ["level": .integer(isAdmin ? 4 : 5)])])
      try await ann.connect()
      expectTrue(ann.isWaiting)
      // The first try does not arrive.
      try await ann.download(arrives: false)
      try await ann.connect()
      expectTrue(ann.isWaiting)
      try await ann.upload()
      try await ann.downloadAll()
      expectFalse(ann.isWaiting)
      try expectEqual(Self.keys(ann), expected)
      try expectEqual(ann.objects()["Doc"]?["mine"]?["level"], .integer(isAdmin ? 4 : 5))
      // The same role again changes nothing.
      await ann.disconnect()
      try await ann.connect()
      expectFalse(ann.isWaiting)
    }
  }

  /// What others write after a user lost a right never reaches the device.
  @Test func nothingIsSentByTheOldRole() async throws {
    let server = try Self.server()
    let root = try await Self.device("root", on: server)
    _ = try await Self.upload([Self.make("a", owner: "u2"), Self.make("b", owner: "u2")], by: root)
    try server.setCustomData(["admin": .bool(true)], of: "u1")
    let ann = try await Self.device("u1", on: server)
    try expectEqual(Self.keys(ann), ["a", "b"])
    await ann.disconnect()
    try server.setCustomData([:], of: "u1")
    _ = try await Self.upload(
      [Self.set("a", ["note": .string("secret")]), Self.make("c", owner: "u2", note: "secret")],
      by: root)
    let store = server.session()
    _ = await store.perform(
      .bind(
        ClientMessage.Bind(
          session: 1, target: .flexible(ClientMessage.FlexibleTarget()), token: "u1",
          needsIdent: false)))
    let query = VersionedQuery(version: 1, document: QueryDocument(queries: ann.active))
    _ = await store.perform(
      .claim(
        ClientMessage.Ident(
          session: 1, file: ann.client.identity.ident, salt: ann.client.identity.salt,
          download: ann.client.cursor, latest: SaltedVersion(), query: query)))
    var cursor = ann.client.cursor
    var lines: [String] = []
    for _ in 0..<10 {
      guard case .download(let message) = await store.perform(.nextDownload(after: cursor)) else {
        break
      }
      lines += try message.lines()
      cursor = message.cursors.download
    }
    expectEqual(lines.count { $0.hasPrefix("EraseObject") }, 2, "\(lines)")
    #expect(!lines.contains { $0.contains("secret") || $0.contains("\"c\"") }, "\(lines)")
  }

  /// P4 C.4: clients that a server cannot send a bootstrap are reset.
  @Test func clientsBelowProtocol14AreReset() async throws {
    let server = try Self.server()
    let ann = try await Self.device("u1", on: server)
    await ann.disconnect()
    try await expectEqual(ann.connect(version: 13), nil)
    await ann.disconnect()
    try server.setCustomData(["admin": .bool(true)], of: "u1")
    let refusal = try #require(try await ann.connect(version: 13))
    expectEqual(refusal.code, .permissionsChanged)
    expectEqual(refusal.document.action, .clientReset)
    try await expectEqual(ann.connect(), nil)
  }

  /// Development mode has no filters: what it left on devices goes with the first rules.
  @Test func productionModeTakesBackWhatDevelopmentModeShowed() async throws {
    let server = try RoleServer(nil)
    let ann = try await Self.device("u1", on: server)
    #expect(
      try await Self.upload([Self.make("a", owner: "u1"), Self.make("b", owner: "u2")], by: ann)
        .isEmpty)
    try await ann.downloadAll()
    for roles in [Self.owners, nil, Self.owners] {
      ann.loseServer()
      try server.restart(roles: roles.map { text throws in try JSONParser.parse(text) })
      try await ann.connect()
      try await ann.downloadAll()
      try expectEqual(Self.keys(ann), (roles == nil ? ["a", "b"] : ["a"]))
    }
  }

  /// `CurrentRules` 1: sessions whose users have other roles end, and begin again.
  @Test func rolesThatAreReplacedEndTheSessionsWithOtherRights() async throws {
    let roles = try JSONParser.parse(Self.owners)
    let known = try RoleReader(rules: RuleReader()).roles(roles, at: [])
    let admins = Locked<Set<String>>([])
    let access = RoleAccess(known) { (id) throws(SessionRefusal) in
      let isAdmin = admins.withLock { $0.contains(id) }
      return RuleUser(id: id, customData: .document([BSONElement("admin", .bool(isAdmin))]))
    }
    let bench = SessionBench(.flexible, access: access)
    let store = bench.store()
    await expectEqual(store.perform(bench.bind(needsIdent: true)).code, nil)
    await expectEqual(bench.app.rules.replace(by: access), 0)
    admins.withLock { $0 = ["u"] }
    await expectEqual(bench.app.rules.recheck(), 1)
    await expectEqual(bench.app.rules.replace(by: nil), 1)
    await store.close()
  }
}
