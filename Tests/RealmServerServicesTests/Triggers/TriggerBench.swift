// SPDX-License-Identifier: Apache-2.0

// An app in memory with triggers, which a test writes to, kills and starts again.

#if Server
import RealmFormats
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTestSupport
import Testing

@testable import RealmServerEngine
@testable import RealmServerServices

/// The triggers of an app.
final class TriggerBench: Sendable {
  let mode: SyncMode
  let files: SimulatedFiles
  let triggerSystem: SimulatedFileSystem
  let userSystem: SimulatedFileSystem
  let clock: SimulatedClock
  let app: ServerApp
  let documents: DocumentService
  let accounts: AccountService
  let functions: FunctionService
  let triggers: TriggerService
  let notices = Locked<[String]>([])
  private let table: FunctionTable

  /// - Parameters:
  ///   - table: The functions of triggers.
  ///   - appName: The name of the app.
  ///   - store: A store with realms of other apps, too; nil for one of the app alone.
  ///   - openMax: The realms that are open at a time.
  ///   - wrap: What the store of the triggers is used through.
  ///   - timer: The time of triggers; nil for one in which pauses take no time.
  init(
    _ table: FunctionTable, mode: SyncMode = .flexible, files: SimulatedFiles = SimulatedFiles(),
    triggerSystem: SimulatedFileSystem? = nil, userSystem: SimulatedFileSystem? = nil,
    clock: SimulatedClock = SimulatedClock(milliseconds: 300_000_000_000), seed: UInt64 = 1,
    appName: String = "test", store shared: EmbeddedStore? = nil, openMax: Int = 100,
    timer: SyncClock? = nil,
    wrap: @escaping @Sendable (any TriggerStore) -> any TriggerStore = { $0 }
  ) throws {
    self.table = table
    self.mode = mode
    self.files = files
    self.clock = clock
    self.triggerSystem = try triggerSystem ?? SimulatedFileSystem()
    self.userSystem = try userSystem ?? SimulatedFileSystem()
    let salts = SaltSource(SeededGenerator(seed: seed))
    let store = shared ?? EmbeddedStore(files, salts: salts)
    var settings = ServerRealm.Settings(recordsTouches: mode == .flexible)
    settings.schema = SchemaKeeper(
      try AppSchema(Array(DocumentBench.schema.utf8)), isFixed: true
    ) { _ in .success(nil) }
    let serverClock = ServerClock(clock.now)
    app = ServerApp(
      named: appName,
      realms: RealmDirectory(
        store, settings: settings, limits: RealmLimits(openMax: openMax), clock: serverClock,
        salts: salts),
      authenticator: SessionAuthenticator { (bind) throws(SessionRefusal) in bind.token })
    documents = DocumentService(
      app, mode: mode, heads: store.heads(), clock: serverClock,
      random: RandomBytes(SeededGenerator(seed: seed)))
    accounts = AccountService(
      app: "test", settings: AccountSettings(),
      store: try AccountStore(self.userSystem.openDatabase(), now: clock.now()),
      passwords: PasswordChecker(PlainHasher()), issuer: TokenIssuer(PlainSigner()),
      random: RandomBytes(SeededGenerator(seed: seed)), clock: serverClock, mailer: TestMailer(),
      services: LoginServices(cryptography: PlainCryptography(), transport: TestServices()))
    functions = FunctionService(table, accounts: accounts)
    functions.find(documents: documents)
    let (notices, system) = (notices, self.triggerSystem)
    triggers = TriggerService(
      app, documents: documents, accounts: accounts, functions: functions,
      environment: TriggerService.Environment(
        clock: serverClock, timer: timer ?? Self.hurrying(),
        random: RandomBytes(SeededGenerator(seed: seed)),
        notice: { notice in notices.withLock { $0.append(notice) } }),
      heads: { store.heads() },
      store: { _ throws(StoreError) in
        wrap(
          try TriggerRecords(StoreError.storing(system.openDatabase()), app: "test"))
      })
  }

  /// A time in which pauses are over at once, but for the one between two looks for users.
  private static func hurrying() -> SyncClock {
    let now = Locked<Milliseconds>(0)
    return SyncClock(
      now: { now.withLock { $0 } },
      sleep: { (time) async throws(CancellationError) in
        let isShort = now.withLock { now in
          guard time != now + TriggerService.pollInterval else { return false }
          now = max(now, time)
          return true
        }
        await Task.yield()
        do {
          if !isShort { try await Task.sleep(for: .seconds(3_600)) }
          try Task.checkCancellation()
        } catch {
          throw CancellationError()
        }
      })
  }

  /// The same files for another process, as they are now.
  func restarted(
    _ table: FunctionTable? = nil, seed: UInt64 = 2, openMax: Int = 100,
    wrap: @escaping @Sendable (any TriggerStore) -> any TriggerStore = { $0 }
  ) throws -> TriggerBench {
    // A trigger that still runs is not further than what it is about.
    let files = try files.restarted()
    let users = try SimulatedFileSystem(contents: userSystem.file.contents())
    let triggers = try SimulatedFileSystem(contents: triggerSystem.file.contents())
    return try TriggerBench(
      table ?? self.table, mode: mode, files: files, triggerSystem: triggers, userSystem: users,
      clock: clock, seed: seed, openMax: openMax, wrap: wrap)
  }

  /// Makes a call about things as the app's own code.
  @discardableResult
  func call(_ name: String, _ members: String) async throws -> BSONValue {
    try await documents.call(
      name,
      [try ExtendedJSONReader.parse(#"{"database":"db","collection":"Thing",\#(members)}"#)],
      user: nil)
  }

  func status(_ name: String = "t") async -> TriggerStatus? {
    await triggers.statuses().first { $0.name == name }
  }

  /// Waits until a condition holds.
  static func wait(_ condition: () async throws -> Bool) async throws {
    for _ in 0..<30_000 {
      if try await condition() { return }
      try await Task.sleep(for: .milliseconds(2))
    }
    Issue.record("the condition does not come to hold")
  }

  /// A trigger on things.
  static func trigger(
    _ name: String = "t", function: String = "f",
    _ change: (inout DatabaseTrigger) -> Void = { _ in }
  ) -> TriggerSettings {
    var trigger = DatabaseTrigger("Thing", database: "db")
    change(&trigger)
    return TriggerSettings(name, function: function, .database(trigger))
  }
}

/// Functions that keep what they get.
final class TriggerEventsKept: Sendable {
  private let events = Locked<[BSONValue]>([])
  /// The calls that fail from now on.
  let failures = Locked(0)

  var table: FunctionTable {
    var table = FunctionTable()
    table["f"] = { call in
      let fails = self.failures.withLock { count in
        guard count > 0 else { return false }
        count -= 1
        return true
      }
      if fails { throw FunctionError.failed("not now") }
      self.events.withLock { $0.append(call.arguments[0]) }
      return .null
    }
    return table
  }

  var all: [BSONValue] { events.withLock { $0 } }

  /// The events without tokens and times, as relaxed text; those before are gone.
  func take() -> [String] {
    events.withLock { events in
      defer { events = [] }
      return events.map { event in
        let left = ["_id", "ns", "wallTime", "time"]
        return DocumentBench.text(
          .document((event.elements ?? []).filter { !left.contains($0.key) }))
      }
    }
  }
}
#endif
