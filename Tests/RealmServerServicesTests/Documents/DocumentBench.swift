// SPDX-License-Identifier: Apache-2.0

// An app in memory whose collections a test calls.

#if Server
import RealmFormats
import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import RealmTestSupport
import Testing

@testable import RealmServerEngine
@testable import RealmServerServices

/// The documents of an app.
final class DocumentBench: Sendable {
  let service: DocumentService
  let app: ServerApp
  let store: EmbeddedStore
  let mode: SyncMode
  /// The monotonic time; it advances by `step` with each reading.
  let time = Locked((now: UInt64(0), step: UInt64(0)))

  /// A class with a property of each kind, an embedded one, and one that links lead to.
  static let schema = """
    {"classes":[
      {"name":"Place","kind":"embedded","properties":[
        {"name":"street","type":"string"},
        {"name":"number","type":"int","optional":true},
        {"name":"tags","type":"string","collection":"list"}
      ]},
      {"name":"Owner","kind":"topLevel","primaryKey":"_id","properties":[
        {"name":"_id","type":"string"},
        {"name":"age","type":"int"}
      ]},
      {"name":"Keyless","kind":"topLevel","properties":[{"name":"a","type":"int"}]},
      {"name":"Thing","kind":"topLevel","primaryKey":"_id","properties":[
        {"name":"_id","type":"int"},
        {"name":"n","type":"int"},
        {"name":"m","type":"int","optional":true},
        {"name":"s","type":"string","optional":true},
        {"name":"b","type":"bool"},
        {"name":"d","type":"double","optional":true},
        {"name":"f","type":"float"},
        {"name":"t","type":"date","optional":true},
        {"name":"dec","type":"decimal","optional":true},
        {"name":"oid","type":"objectId","optional":true},
        {"name":"uid","type":"uuid","optional":true},
        {"name":"bin","type":"data","optional":true},
        {"name":"any","type":"mixed"},
        {"name":"list","type":"int","collection":"list"},
        {"name":"set","type":"string","collection":"set"},
        {"name":"map","type":"int","collection":"dictionary"},
        {"name":"place","type":"object","target":"Place","optional":true},
        {"name":"places","type":"object","target":"Place","collection":"list"},
        {"name":"owner","type":"object","target":"Owner","optional":true},
        {"name":"owners","type":"object","target":"Owner","collection":"list"},
        {"name":"secret","type":"string","optional":true}
      ]}
    ]}
    """

  /// - Parameter roles: The member "roles" of the app's file, or "permissions" in partition mode;
  ///   nil for development mode.
  init(
    roles: String? = nil, mode: SyncMode = .flexible, limits: DocumentLimits = DocumentLimits(),
    schema: String = schema, isFixed: Bool = true, seed: UInt64 = 1
  ) throws {
    let salts = SaltSource(SeededGenerator(seed: seed))
    let store = EmbeddedStore(SimulatedFiles(), salts: salts)
    var settings = ServerRealm.Settings(recordsTouches: mode == .flexible)
    settings.schema = SchemaKeeper(try AppSchema(Array(schema.utf8)), isFixed: isFixed) { _ in
      .success(nil)
    }
    let clock = ServerClock { OriginTimestamp(milliseconds: 1_000_000) }
    let app = ServerApp(
      named: "test",
      realms: RealmDirectory(store, settings: settings, clock: clock, salts: salts),
      authenticator: SessionAuthenticator { (bind) throws(SessionRefusal) in bind.token })
    app.access = try roles.map { try Self.access($0, mode) }
    self.app = app
    self.store = store
    self.mode = mode
    let time = time
    let timer = SyncClock(
      now: {
        time.withLock { time in
          time.now += time.step
          return time.now
        }
      },
      sleep: { (_) async throws(CancellationError) in
        do { try await Task.sleep(for: .seconds(3_600)) } catch { throw CancellationError() }
      })
    service = DocumentService(
      app, mode: mode, limits: limits, heads: store.heads(), clock: clock, timer: timer,
      random: RandomBytes(SeededGenerator(seed: seed)))
  }

  static func access(_ roles: String, _ mode: SyncMode) throws -> any SessionAccess {
    let key = mode == .flexible ? "roles" : "permissions"
    let text =
      #"{"id":"a","mode":"production","sync":"\#(mode == .flexible ? "flexible" : "partition")","#
      + "\"\(key)\":\(roles)}"
    let file = try AppFile(Array(text.utf8))
    let users = { @Sendable (id: String) async throws(SessionRefusal) in RuleUser(id: id) }
    return mode == .flexible
      ? RoleAccess(file.roles, users: users) : PartitionAccess(file.permissions, users: users)
  }

  /// Makes a call whose arguments are members of extended JSON.
  @discardableResult
  func call(
    _ name: String, _ members: String = "", of collection: String = "Thing",
    as user: String = "u"
  ) async throws(DocumentError) -> BSONValue {
    let rest = members.isEmpty ? "" : "," + members
    let text = #"{"database":"db","collection":"\#(collection)"\#(rest)}"#
    guard let arguments = try? ExtendedJSONReader.parse(text) else {
      Issue.record("no extended JSON: \(text)")
      return .null
    }
    return try await service.call(name, [arguments], user: user)
  }

  /// The result of a call as relaxed text.
  func text(
    _ name: String, _ members: String = "", of collection: String = "Thing",
    as user: String = "u"
  ) async throws -> String {
    Self.text(try await call(name, members, of: collection, as: user))
  }

  /// The text of an error, or of the result.
  func refusal(
    _ name: String, _ members: String = "", of collection: String = "Thing",
    as user: String = "u"
  ) async -> String {
    do throws(DocumentError) {
      return "result " + Self.text(try await call(name, members, of: collection, as: user))
    } catch {
      let problem = APIError(call: error)
      return "\(problem.name): \(problem.message)"
    }
  }

  /// JSON without the types of integers.
  static func text(_ value: BSONValue) -> String { JSONWriter.text(relaxed(value)) }

  private static func relaxed(_ value: BSONValue) -> JSONValue {
    switch value {
    case .int32(let number): .integer(Int64(number))
    case .int64(let number): .integer(number)
    case .double(let number): .double(number)
    case .array(let values): .array(values.map(relaxed))
    case .document(let elements):
      .object(elements.map { JSONMember($0.key, relaxed($0.value)) })
    default: ExtendedJSONWriter.json(value)
    }
  }

  /// The realm of the app, or of a partition.
  func realm(_ partition: String? = nil) async throws -> ServerRealm {
    try await app.realms.open(RealmName(app: "test", partition: partition)).realm
  }

  func entries(_ partition: String? = nil) async throws -> [StoredEntry] {
    let realm = try await realm(partition)
    let head = try await realm.newestSnapshot().head
    return try await realm.entries(in: 1..<head.version + 1)
  }
}
#endif
