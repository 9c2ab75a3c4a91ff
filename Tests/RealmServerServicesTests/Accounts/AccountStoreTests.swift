// SPDX-License-Identifier: Apache-2.0

// The file of users: crashes, damage, secrets.

#if Server
import RealmStorage
import RealmSyncProtocol
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine
@testable import RealmServerServices

struct AccountStoreTests {
  /// `AccountStore` 1
  @Test func aTransactionThatThrowsChangesNothing() async throws {
    let bench = try APIBench()
    let login = try await bench.anonymous()
    await #expect(throws: AccountError.busy) {
      try await bench.store.write { (accounts) throws(AccountError) in
        try accounts.remove(Account.self, login.user)
        throw .busy
      }
    }
    let response = await bench.send("GET", "/api/client/v2.0/auth/profile", token: login.access)
    expectEqual(response.status, 200)
  }

  /// `AccountService` 2 (SY14)
  @Test func neitherPasswordsNorTokensAreStored() async throws {
    let bench = try APIBench(confirmation: .mail)
    await expectEqual(bench.register("ann@x.org", "PASSWORD-1").status, 201)
    let mail = try #require(bench.mailer.mails.withLock { $0.last })
    let login = try await bench.anonymous()
    let content = try bench.system.file.contents()
    for secret in ["PASSWORD-1", mail.token, login.access, login.refresh] {
      expectEqual(content.firstRange(of: Array(secret.utf8)), nil)
    }
    expectTrue(content.firstRange(of: Array("ann@x.org".utf8)) != nil)
  }

  @Test func aFileOfAnotherKindIsRefused() throws {
    let system = try SimulatedFileSystem(contents: Array("no realm file".utf8))
    #expect(throws: (any Error).self) { try APIBench(system) }
  }

  /// What each layout added to the one before.
  private static let columns: [Int64: [(table: String, column: String)]] = [
    2: [("server_mailed_tokens", "salt"), ("server_mailed_tokens", "hash")],
    3: [("server_accounts_meta", "app"), ("server_identities", "created")],
    4: [("server_identities", "profile"), ("server_sessions", "api_key")],
    5: [("server_accounts", "push_devices"), ("server_accounts_meta", "last_event")],
    6: [("server_account_events", "depth")],
  ]

  @Test(arguments: [1, 2, 3, 4, 5] as [Int64])
  func theFileOfAnEarlierLayoutIsUpgraded(_ layout: Int64) async throws {
    let bench = try APIBench(confirmation: .mail)
    await expectEqual(bench.register().status, 201)
    let mail = try #require(bench.mailer.mails.withLock { $0.last })
    let body = #"{"token":"\#(mail.token)","tokenId":"\#(mail.tokenID)"}"#
    await expectEqual(bench.password("confirm", body).status, 200)
    await expectEqual(bench.password("reset/send", #"{"email":"ann@x.org"}"#).status, 200)
    let reset = try #require(bench.mailer.mails.withLock { $0.last })
    let login = try TestLogin(await bench.logIn())
    // The file as a server of that time left it.
    let system = try SimulatedFileSystem(contents: bench.system.file.contents())
    let file = try system.openDatabase()
    let group = try WriteGroup(file.beginWrite())
    for (number, columns) in Self.columns where number > layout {
      for (name, column) in columns {
        let table = try #require(try group.table(named: name))
        try table.columns.remove(try #require(table.schema.column(named: column)).key)
      }
    }
    if layout < 4 { try AccountTables.keys.remove(from: group) }
    if layout < 5 { try AccountTables.events.remove(from: group) }
    let meta = try #require(try group.table(named: "server_accounts_meta"))
    let row = try #require(try meta.findRow(primaryKey: .string("accounts"))).key
    try meta.set(.int(layout), try #require(meta.schema.column(named: "layout")), row)
    _ = try group.commit()

    let old = try SimulatedFileSystem(contents: system.file.contents())
    let upgraded = try APIBench(old, confirmation: .mail, seed: 2)
    // Users, their sessions and the mails on their way are there.
    let profile = await upgraded.send(
      "GET", "/api/client/v2.0/auth/profile", token: login.access)
    expectEqual(profile.status, 200)
    let change =
      #"{"token":"\#(reset.token)","tokenId":"\#(reset.tokenID)","password":"another"}"#
    await expectEqual(upgraded.password("reset", change).status, 200)
    try expectEqual(TestLogin(await upgraded.logIn("ann@x.org", "another")).user, login.user)
    await expectEqual(upgraded.register("bob@x.org").status, 201)
    #expect(try await upgraded.store.keys(of: nil).isEmpty)
    // It is of the newest layout, and of one app.
    let again = try SimulatedFileSystem(contents: old.file.contents())
    let now = OriginTimestamp(milliseconds: APIBench.start)
    _ = try AccountStore(again.openDatabase(), app: "todos", mustExist: true, now: now)
    let newest = try TableGroup(again.openDatabase().snapshot())
    for (name, column) in Self.columns.values.flatMap({ $0 }) {
      #expect(try newest.table(named: name)?.schema.column(named: column) != nil)
    }
    let number = try #require(try newest.table(named: "server_accounts_meta"))
    let found = try #require(try number.findRow(primaryKey: .string("accounts"))).row
    try expectEqual(
      found.value(of: try #require(number.schema.column(named: "layout"))),
      .int(AccountTables.layout))
  }

  @Test func theFileOfALaterLayoutIsRefused() throws {
    let system = try SimulatedFileSystem()
    _ = try APIBench(system)
    let file = try system.openDatabase()
    let group = try WriteGroup(file.beginWrite())
    let meta = try #require(try group.table(named: "server_accounts_meta"))
    let row = try #require(try meta.findRow(primaryKey: .string("accounts"))).key
    try meta.set(
      .int(AccountTables.layout + 1), try #require(meta.schema.column(named: "layout")), row)
    _ = try group.commit()
    let later = try SimulatedFileSystem(contents: system.file.contents())
    #expect(throws: StoreError.storage(.corrupted("the accounts have another layout"))) {
      try APIBench(later)
    }
  }
}
#endif
