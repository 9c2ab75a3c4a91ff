// SPDX-License-Identifier: Apache-2.0

// What a server keeps over months, and what goes.

#if Server
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine
@testable import RealmServerServices

struct ServerUpkeepTests {
  private typealias Text = ChangesetText

  /// An app whose time a test sets, in days.
  private struct Months {
    let files = SimulatedFiles()
    let realms: RealmDirectory
    let app: ServerApp
    let accounts: AccountService
    let mailer = TestMailer()
    let upkeep: ServerUpkeep
    private let time: Locked<UInt64>

    /// - Parameter wrap: What the store is used through.
    init(
      _ rules: UpkeepRules = UpkeepRules(),
      wrap: (EmbeddedStore) -> any ServerStore = { $0 }
    ) throws {
      let time = Locked(APIBench.start)
      self.time = time
      let clock = ServerClock { OriginTimestamp(milliseconds: time.withLock { $0 }) }
      let salts = SaltSource(SeededGenerator(seed: 3))
      realms = RealmDirectory(
        wrap(EmbeddedStore(files, salts: salts)), clock: clock, salts: salts)
      app = ServerApp(
        named: "test", realms: realms,
        authenticator: SessionAuthenticator { (bind) throws(SessionRefusal) in bind.token })
      var settings = AccountSettings()
      settings.confirmation = .mail
      accounts = AccountService(
        app: "test", settings: settings,
        store: try AccountStore(SimulatedFileSystem().openDatabase(), now: clock.now()),
        passwords: PasswordChecker(PlainHasher()), issuer: TokenIssuer(PlainSigner()),
        random: RandomBytes(SeededGenerator(seed: 5)), clock: clock, mailer: mailer,
        services: LoginServices(cryptography: PlainCryptography(), transport: TestServices()))
      upkeep = ServerUpkeep(app, accounts: accounts, rules: rules, clock: clock)
    }

    func pass(days: UInt64) { time.withLock { $0 += days * 24 * 3600 * 1000 } }

    func setBack(days: UInt64) { time.withLock { $0 -= days * 24 * 3600 * 1000 } }

    func realm(_ partition: String) async throws -> ServerRealm {
      try await realms.open(RealmName(app: "test", partition: partition)).realm
    }

    func session() -> ServerSession {
      ServerSession(
        app: app, version: ProtocolVersion(mode: .partition, number: ProtocolVersion.newest),
        connection: 1)
    }

    func exists<R: AccountRecord>(_ type: R.Type, _ key: String) async throws -> Bool {
      try await accounts.store.read { (accounts) throws(AccountError) in
        try accounts.find(type, key) != nil
      }
    }
  }

  // MARK: Realms

  /// A realm that nobody opens any more is trimmed; one client comes every month, one never again.
  @Test func historyGoesWithTheDevicesThatNeedIt() async throws {
    let months = try Months()
    let (regular, lost) = try await {
      let realm = try await months.realm("\"a\"")
      let files = (
        try await realm.allocateFile(for: "u"), try await realm.allocateFile(for: "u")
      )
      await expectEqual(realm.integrate(Upload(files.0, [Text.schema()], from: 1)).code, nil)
      return files
    }()
    var version: UInt64 = 1
    for month in 1...5 as ClosedRange<UInt64> {
      months.pass(days: 30)
      let realm = try await months.realm("\"a\"")
      let upload = Upload(
        regular, [Text.create("m\(month)")], from: version + 1, base: version)
      await expectEqual(realm.integrate(upload).code, nil)
      version += 1
      await months.realms.closeIdle(since: OriginTimestamp(milliseconds: .max))
      let report = await months.upkeep.run()
      expectTrue(report.failures.isEmpty)
      expectEqual(report.expiredFiles, (month == 3 ? 1 : 0), "month \(month)")
      let head = try await months.realms.peek(RealmName(app: "test", partition: "\"a\"").fileID)
        .head
      // The entry at the position of the regular client stays.
      expectEqual(head.base, (month < 3 ? 0 : version - 2), "month \(month)")
    }
    let realm = try await months.realm("\"a\"")
    try await expectEqual(realm.file(lost.ident)?.isExpired, true)
    try await expectEqual(realm.file(regular.ident)?.isExpired, false)
    let late = await realm.integrate(Upload(lost, [Text.create("x")], from: 1))
    expectEqual(late.code, .clientFileExpired)
    months.pass(days: 61)
    await expectEqual(months.upkeep.run().expiredFiles, 1)
  }

  /// The row of a device that never comes back goes a year after it expired, and its number stays
  /// taken. A device that does come back then is reset all the same.
  @Test func expiredDevicesAreForgotten() async throws {
    let months = try Months()
    let name = RealmName(app: "test", partition: "\"a\"")
    let lost = try await months.realm("\"a\"").allocateFile(for: "u")
    var forgotten: [Int] = []
    for month in 1...16 {
      months.pass(days: 30)
      await months.realms.closeIdle(since: OriginTimestamp(milliseconds: .max))
      let report = await months.upkeep.run()
      expectTrue(report.failures.isEmpty)
      expectEqual(report.expiredFiles, (month == 3 ? 1 : 0))
      if report.forgottenFiles > 0 { forgotten.append(month) }
      try await expectEqual(months.realms.peek(name.fileID).files.isEmpty, !forgotten.isEmpty)
    }
    // Three months until it expires, and 365 days more.
    expectEqual(forgotten, [16])
    // `ServerFileLookup`: 208, which asks for a client reset (P4 A.3).
    let session = months.session()
    let target = ClientMessage.Bind.Target.partition("\"a\"")
    _ = await session.perform(
      .bind(ClientMessage.Bind(session: 1, target: target, token: "u", needsIdent: false)))
    let ident = ClientMessage.Ident(
      session: 1, file: lost.ident, salt: lost.salt, download: DownloadCursor(),
      latest: SaltedVersion())
    guard case .file(let lookup) = await session.perform(.lookUp(ident)) else {
      Issue.record("no answer")
      return
    }
    let refusal = SessionRefusal(.badClientFileIdent, "Unknown client file \(lost.ident.rawValue)")
    expectEqual(refusal.document.action, .clientReset)
    #expect(throws: IdentDefect.refusal(refusal)) { _ = try lookup.check(ident) }
    await expectEqual(session.perform(.claim(ident)).code, .badClientFileIdent)
    let realm = try await months.realm("\"a\"")
    let late = await realm.integrate(Upload(lost, [Text.create("x")], from: 1))
    expectEqual(late.code, .badClientFileIdent)
    #expect(try await realm.allocateFile(for: "u").ident != lost.ident)
  }

  /// Servers before noted no time of expiry: it begins at the first upkeep.
  @Test func devicesThatAnOlderServerExpiredAreForgotten() async throws {
    let months = try Months()
    var file = try await months.realm("\"a\"").allocateFile(for: "u")
    file.lastSeen = OriginTimestamp(milliseconds: 0)
    try await months.realm("\"a\"").store(file)
    await expectEqual(months.upkeep.run().forgottenFiles, 0)
    months.pass(days: 364)
    await expectEqual(months.upkeep.run().forgottenFiles, 0)
    months.pass(days: 2)
    await expectEqual(months.upkeep.run().forgottenFiles, 1)
  }

  /// A client that only reads says nothing for months: its sessions are its sign of life.
  @Test func aDeviceWithASessionIsNotAway() async throws {
    let months = try Months()
    let session = months.session()
    let target = ClientMessage.Bind.Target.partition("\"a\"")
    let bind = ClientMessage.Bind(session: 1, target: target, token: "u", needsIdent: true)
    guard case .bound(let ident, let salt) = await session.perform(.bind(bind)) else {
      Issue.record("not bound")
      return
    }
    let claim = ClientMessage.Ident(
      session: 1, file: ident, salt: salt, download: DownloadCursor(), latest: SaltedVersion())
    _ = await session.perform(.claim(claim))
    months.pass(days: 100)
    await expectEqual(months.upkeep.run().expiredFiles, 0)
    await session.close()
    // It comes back with the next session, and its time begins anew.
    let next = months.session()
    let again = ClientMessage.Bind(session: 1, target: target, token: "u", needsIdent: false)
    _ = await next.perform(.bind(again))
    _ = await next.perform(.claim(claim))
    await next.close()
    months.pass(days: 59)
    await expectEqual(months.upkeep.run().expiredFiles, 0)
    months.pass(days: 2)
    await expectEqual(months.upkeep.run().expiredFiles, 1)
  }

  /// `ServerUpkeep` 1: a realm without work gets no owner and stays closed.
  @Test func realmsWithoutWorkAreNotOpened() async throws {
    let months = try Months()
    for number in 0..<5 { _ = try await months.realm("\"\(number)\"") }
    await months.realms.closeIdle(since: OriginTimestamp(milliseconds: .max))
    #expect(await months.upkeep.run().failures.isEmpty)
    await expectEqual(months.realms.openCount, 0)
    try await expectEqual(months.realm("\"1\"").head.epoch, 2)
  }

  /// A realm that cannot be read or opened is reported, and one of another server is left to that.
  /// `ServerUpkeep` 2 and 3
  @Test(
    arguments: [
      (Trouble(error: .damaged("a test"), isSeen: true), ["test/"], [1, 0, 1]),
      (Trouble(error: .damaged("a test"), isSeen: false), ["test/"], [1, 0, 1]),
      (Trouble(error: .owned(by: "another"), isSeen: false), [], [1, 0, 1]),
    ] as [(Trouble, [String], [Int])])
  func oneRealmDoesNotHoldTheOthersUp(
    _ trouble: Trouble, _ failures: [String], _ expired: [Int]
  ) async throws {
    let isOn = Locked(false)
    let months = try Months(wrap: {
      TroubledStore(
        base: $0, trouble: trouble, name: RealmName(app: "test", partition: "\"1\""), isOn: isOn)
    })
    var names: [RealmName] = []
    for number in 0..<3 {
      names.append(RealmName(app: "test", partition: "\"\(number)\""))
      _ = try await months.realm("\"\(number)\"").allocateFile(for: "u")
    }
    await months.realms.closeIdle(since: OriginTimestamp(milliseconds: .max))
    months.pass(days: 61)
    isOn.withLock { $0 = true }
    let report = await months.upkeep.run()
    expectEqual(report.failures.count, failures.count, "\(report.failures)")
    for (found, start) in zip(report.failures, failures) { expectTrue(found.hasPrefix(start)) }
    expectEqual(report.expiredFiles, expired.reduce(0, +))
    isOn.withLock { $0 = false }
    for (name, count) in zip(names, expired) {
      let files = try await months.realms.peek(name.fileID).files
      expectEqual(files.count { $0.isExpired }, count, "\(name)")
    }
  }

  @Test func idleRealmsAreClosed() async throws {
    let months = try Months(UpkeepRules(idleMinutes: 60 * 24))
    _ = try await months.realm("\"a\"")
    await months.upkeep.closeIdle()
    await expectEqual(months.upkeep.openRealmCount, 1)
    months.pass(days: 2)
    await months.upkeep.closeIdle()
    await expectEqual(months.upkeep.openRealmCount, 0)
  }

  // MARK: A wrong clock

  /// A clock that was a year ahead and is right again keeps no idle realm open for that year.
  @Test func idleRealmsAreClosedAfterTheClockWasSetBack() async throws {
    let months = try Months(UpkeepRules(idleMinutes: 60 * 24))
    months.pass(days: 365)
    _ = try await months.realm("\"a\"")
    months.setBack(days: 365)
    await months.upkeep.closeIdle()
    await expectEqual(months.upkeep.openRealmCount, 0)
  }

  // MARK: Users

  /// `AccountCleaning` 1 and 2
  @Test func anonymousUsersGoWhenNothingLeadsToThem() async throws {
    let months = try Months()
    let login = try await months.accounts.logInAnonymously(device: nil)
    let out = try await months.accounts.logInAnonymously(device: nil)
    try await months.accounts.revoke(out.refreshToken)
    let ends = Locked<[AccessEnds.End]>([])
    months.accounts.ends.observe { end in ends.withLock { $0.append(end) } }
    months.pass(days: 59)
    var report = await months.upkeep.run()
    expectEqual(report.accounts, ServerUpkeep.AccountCleaningCounts())
    months.pass(days: 2)
    report = await months.upkeep.run()
    expectEqual(report.accounts.sessions, 1)
    expectEqual(report.accounts.anonymousUsers, 0)
    months.pass(days: 30)
    report = await months.upkeep.run()
    expectEqual(report.accounts.anonymousUsers, 2)
    for id in [login.account, out.account] {
      #expect(try await !months.exists(Account.self, id))
    }
    // Their sockets are closed.
    expectEqual(Set(ends.withLock { $0 }), [.account(login.account), .account(out.account)])
  }

  @Test func usersWithAPasswordStay() async throws {
    let months = try Months()
    let anonymous = try await months.accounts.logInAnonymously(device: nil)
    try await months.accounts.register("ann@x.org", "secret1", for: "a")
    let mail = try #require(months.mailer.mails.withLock { $0.last })
    try await months.accounts.confirm(token: mail.token, id: mail.tokenID)
    let access = try await months.accounts.access(accessToken: anonymous.accessToken)
    _ = try await months.accounts.logIn(
      "ann@x.org", "secret1", linkedTo: access, device: nil, for: "a")
    months.pass(days: 1000)
    let report = await months.upkeep.run()
    expectEqual(report.accounts.sessions, 1)
    expectEqual(report.accounts.anonymousUsers, 0)
    _ = try await months.accounts.logIn(
      "ann@x.org", "secret1", linkedTo: nil, device: nil, for: "a")
  }

  /// `AccountCleaning` 3
  @Test func registrationsThatAreNotConfirmedGo() async throws {
    let months = try Months()
    try await months.accounts.register("ann@x.org", "secret1", for: "a")
    months.pass(days: 6)
    var report = await months.upkeep.run()
    expectEqual(report.accounts.tokens, 1)
    expectEqual(report.accounts.registrations, 0)
    months.pass(days: 2)
    report = await months.upkeep.run()
    expectEqual(report.accounts.registrations, 1)
    try await months.accounts.register("ann@x.org", "secret2", for: "a")
  }
}

/// What is wrong with a realm.
struct Trouble: Sendable {
  let error: StoreError
  /// Whether looking at it fails, too, and not only its opening.
  let isSeen: Bool
}

/// A store with one realm that makes trouble.
private struct TroubledStore: ServerStore {
  let base: EmbeddedStore
  let trouble: Trouble
  let name: RealmName
  let isOn: Locked<Bool>

  nonisolated(nonsending)
    func open(_ realm: RealmName) async throws(StoreError) -> any RealmStore
  {
    if realm == name, isOn.withLock({ $0 }) { throw trouble.error }
    return try await base.open(realm)
  }

  nonisolated(nonsending)
    func exists(_ realm: RealmName) async throws(StoreError) -> Bool
  { try await base.exists(realm) }

  nonisolated(nonsending)
    func realms(ofApp app: String) async throws(StoreError) -> [RealmID]
  { try await base.realms(ofApp: app) }

  nonisolated(nonsending)
    func peek(_ realm: RealmID) async throws(StoreError) -> RealmOutline
  {
    if realm == name.fileID, trouble.isSeen, isOn.withLock({ $0 }) { throw trouble.error }
    return try await base.peek(realm)
  }

  func heads(ofApp app: String?) -> AsyncStream<RealmHead> { base.heads(ofApp: app) }
}
#endif
