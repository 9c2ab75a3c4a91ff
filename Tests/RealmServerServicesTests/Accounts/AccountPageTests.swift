// SPDX-License-Identifier: Apache-2.0

// Users as an operator lists and deletes them.

#if Server
import RealmStorage
import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerServices

struct AccountPageTests {
  /// Ann and Ben with passwords, Ann with two logins, and three anonymous users.
  private static func bench() async throws -> APIBench {
    let bench = try APIBench()
    for name in ["ann", "ben"] {
      await expectEqual(bench.register("\(name)@x.org").status, 201)
      await expectEqual(bench.logIn("\(name)@x.org").status, 200)
    }
    await expectEqual(bench.logIn("ann@x.org").status, 200)
    for _ in 0..<3 { _ = try await bench.anonymous() }
    return bench
  }

  @Test func usersAreListedWithTheirLogIns() async throws {
    let bench = try await Self.bench()
    let page = try await bench.accounts.page(AccountPage.Request())
    expectEqual(page.users.count, 5)
    expectTrue(page.next == nil)
    let ann = try #require(page.users.first { $0.identities.first?.name == "ann@x.org" })
    expectEqual(ann.sessionCount, 2)
    expectFalse(ann.isDisabled)
    expectEqual(ann.identities.map(\.provider), ["local-userpass"])
    expectEqual(page.users.map(\.sessionCount).reduce(0, +), 6)
    let counts = try await bench.accounts.counts()
    expectEqual(counts.users, 5)
    expectEqual(counts.sessions, 6)
    try await bench.accounts.setDisabled(true, ann.id)
    let found = try await bench.accounts.page(AccountPage.Request(search: "ann@"))
    expectTrue(found.users.map(\.id) == [ann.id] && found.users[0].isDisabled)
    try await expectEqual(bench.accounts.page(AccountPage.Request(search: ann.id)).users.count, 1)
    #expect(try await bench.accounts.page(AccountPage.Request(search: "nobody")).users.isEmpty)
  }

  /// `AccountPage` 1
  @Test func pagesFollowEachOther() async throws {
    let bench = try await Self.bench()
    let all = try await bench.accounts.page(AccountPage.Request()).users.map(\.id)
    var (found, next, pageCount): ([String], Int64?, Int) = ([], nil, 0)
    repeat {
      let page = try await bench.accounts.page(AccountPage.Request(from: next, countMax: 2))
      expectTrue(page.users.count <= 2)
      found += page.users.map(\.id)
      (next, pageCount) = (page.next, pageCount + 1)
      // The user where the next page begins may go meanwhile.
      if pageCount == 1, next != nil { _ = try await bench.store.delete(all[2]) }
    } while next != nil
    #expect(found == all.filter { $0 != all[2] })
    expectTrue(pageCount >= 2)
  }

  @Test func aDeletedUserIsGoneWithAllWaysToLogIn() async throws {
    let bench = try await Self.bench()
    let ends = Locked<[AccessEnds.End]>([])
    bench.accounts.ends.observe { end in ends.withLock { $0.append(end) } }
    let ann = try #require(try await bench.store.account(email: "ann@x.org"))
    try await bench.accounts.delete(user: ann.id)
    expectEqual(ends.withLock { $0 }, [.account(ann.id)])
    await expectEqual(bench.logIn("ann@x.org").status, 401)
    await #expect(throws: AccountError.userNotFound) {
      try await bench.accounts.delete(user: ann.id)
    }
    // The address may register again, as another user.
    await expectEqual(bench.register("ann@x.org").status, 201)
    let new = try TestLogin(await bench.logIn("ann@x.org"))
    expectTrue(new.user != ann.id)
  }

  @Test func theLoginsOfAUserEndAndItMayLogInAgain() async throws {
    let bench = try await Self.bench()
    let login = try TestLogin(await bench.logIn("ann@x.org"))
    let path = "/api/client/v2.0/auth/session"
    await expectEqual(bench.send("POST", path, token: login.refresh).status, 200)
    try await bench.accounts.endSessions(ofUser: login.user)
    await expectEqual(bench.send("POST", path, token: login.refresh).status, 401)
    await expectEqual(bench.logIn("ann@x.org").status, 200)
    await #expect(throws: AccountError.userNotFound) {
      try await bench.accounts.endSessions(ofUser: "nobody")
    }
  }

  @Test func usersWhoWereDeletedByAnotherProcessLoseTheirConnections() async throws {
    let bench = try await Self.bench()
    var holders: [AccessEnds.Holder] = []
    for _ in 0..<4 {
      let login = try TestLogin(await bench.logIn("ann@x.org"))
      let claims = try bench.accounts.claims(accessToken: login.access)
      holders.append(AccessEnds.Holder(account: claims.account, session: claims.session))
    }
    for _ in 0..<3 {
      let login = try await bench.anonymous()
      let claims = try bench.accounts.claims(accessToken: login.access)
      holders.append(AccessEnds.Holder(account: claims.account, session: claims.session))
    }
    let reported = Locked<[AccessEnds.End]>([])
    bench.accounts.ends.observe { end in reported.withLock { $0.append(end) } }
    #expect(try await bench.accounts.endAccess(among: Set(holders)).isEmpty)
    _ = try await bench.store.delete(holders[4].account)
    try await bench.store.setDisabled(true, of: holders[5].account)
    let over = holders[1].session
    try await bench.store.write { (accounts) throws(AccountError) in
      try accounts.remove(AccountSession.self, over)
    }
    let ended = try await bench.accounts.endAccess(among: Set(holders))
    expectEqual(
      ended, [.account(holders[4].account), .account(holders[5].account), .session(over)])
    expectEqual(Set(reported.withLock { $0 }), ended)
    expectEqual(
      holders.map { holder in ended.contains { $0.concerns(holder) } },
      [false, true, false, false, true, true, false])
  }
}
#endif
