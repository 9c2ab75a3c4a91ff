// SPDX-License-Identifier: Apache-2.0

// Logging in among those who guess, flood and register in others' names.

#if Server
import Foundation
import RealmFormats
import RealmStorage
import RealmSyncProtocol
import TestExtensions
import Testing

@testable import RealmServerServices

struct LoginDefenceTests {
  private static func token(_ mail: AccountMail, _ more: String = "") -> String {
    #"{"token":"\#(mail.token)","tokenId":"\#(mail.tokenID)"\#(more)}"#
  }

  // MARK: New passwords

  /// `AccountService` 3
  @Test func aNewPasswordEndsWhatWasMadeBeforeIt() async throws {
    let bench = try APIBench()
    await expectEqual(bench.register().status, 201)
    let ends = Locked<[AccessEnds.End]>([])
    bench.accounts.ends.observe { end in ends.withLock { $0.append(end) } }
    let logins = [try TestLogin(await bench.logIn()), try TestLogin(await bench.logIn())]
    let other = try await bench.anonymous()
    for _ in 0..<2 {
      await expectEqual(bench.password("reset/send", #"{"email":"ann@x.org"}"#).status, 200)
    }
    let mails = bench.mailer.mails.withLock { $0 }
    let body = Self.token(mails[0], #","password":"another""#)
    await expectEqual(bench.password("reset", body).status, 200)
    for login in logins {
      let session = await bench.send("POST", "/api/client/v2.0/auth/session", token: login.refresh)
      expectEqual(session.error, "401 InvalidSession")
      let profile = await bench.send("GET", "/api/client/v2.0/auth/profile", token: login.access)
      expectEqual(profile.error, "401 InvalidSession")
    }
    let second = Self.token(mails[1], #","password":"mine-now""#)
    await expectEqual(bench.password("reset", second).error, "400 BadRequest")
    expectEqual(ends.withLock { $0 }, [.sessions(logins[0].user)])
    // Others go on, and the user with the new password.
    let profile = await bench.send("GET", "/api/client/v2.0/auth/profile", token: other.access)
    expectEqual(profile.status, 200)
    try expectEqual(TestLogin(await bench.logIn("ann@x.org", "another")).user, logins[0].user)
  }

  /// Whoever knew the old password may have made keys, and added ways to log in.
  @Test(arguments: [false, true])
  func aNewPasswordLeavesNoOtherWayUnnamed(_ endsOthers: Bool) async throws {
    let bench = try APIBench(settings: { $0.allowsKeys = true })
    await expectEqual(bench.register().status, 201)
    await expectEqual(bench.register("thief@x.org", "secret2").status, 201)
    let login = try TestLogin(await bench.logIn())
    let linked = await bench.send(
      "POST", APIBench.app + "/auth/providers/local-userpass/login",
      #"{"username":"thief@x.org","password":"secret2"}"#, token: login.access,
      query: "link=true")
    expectEqual(linked.status, 200)
    let made = await bench.send(
      "POST", APIBench.app + "/auth/api_keys", #"{"name":"robot"}"#, token: login.refresh)
    let key = try #require(try JSONParser.parse(made.body)["key"]?.string)
    await expectEqual(bench.password("reset/send", #"{"email":"ann@x.org"}"#).status, 200)
    let mail = try #require(bench.mailer.mails.withLock { $0.last })
    let answer = await bench.password(
      "reset", Self.token(mail, #","password":"another","endOtherLogins":\#(endsOthers)"#))
    expectEqual(
      answer.text,
      #"{"disabledKeys":["robot"],"otherLogins":[{"provider_type":"local-userpass","#
        + #""name":"thief@x.org"}],"otherLoginsEnded":\#(endsOthers)}"#)
    let robot = await bench.send(
      "POST", APIBench.app + "/auth/providers/api-key/login", #"{"key":"\#(key)"}"#)
    expectEqual(robot.error, "401 AuthError")
    let other = await bench.logIn("thief@x.org", "secret2")
    if endsOthers {
      expectEqual(other.error, "401 InvalidPassword")
    } else {
      try expectEqual(TestLogin(other).user, login.user)
    }
    try expectEqual(TestLogin(await bench.logIn("ann@x.org", "another")).user, login.user)
  }

  /// `AccountService` 3
  @Test func noSessionBeginsWithAPasswordThatIsReplaced() async throws {
    let bench = try APIBench()
    await expectEqual(bench.register().status, 201)
    let name = IdentityName(provider: "local-userpass", name: "ann@x.org")
    let identity = try await bench.store.read { (accounts) throws(AccountError) in
      try accounts.find(Identity.self, name.text)
    }
    // The login has found the password right, and then the password is replaced.
    let old = try #require(identity?.password)
    _ = await bench.password("reset/send", #"{"email":"ann@x.org"}"#)
    let mail = try #require(bench.mailer.mails.withLock { $0.last })
    let body = Self.token(mail, #","password":"another""#)
    await expectEqual(bench.password("reset", body).status, 200)
    await #expect(throws: AccountError.invalidPassword) {
      _ = try await bench.accounts.begin(name, password: old, linkedTo: nil, device: nil)
    }
  }

  // MARK: Guesses and floods

  /// `LoginDelays` 3
  @Test func anAccountIsNotGuessedFromManyAddresses() async throws {
    let bench = try APIBench()
    await expectEqual(bench.register().status, 201)
    for number in 1...5 {
      let answer = await bench.logIn("ann@x.org", "wrong!", from: "10.0.1.\(number)")
      expectEqual(answer.error, "401 InvalidPassword")
    }
    await expectEqual(bench.logIn("ann@x.org", "wrong!", from: "10.0.1.6").error, "429 AuthError")
    // A name without an account is treated in the same way.
    for number in 1...5 {
      let answer = await bench.logIn("bob@x.org", "wrong!", from: "10.0.2.\(number)")
      expectEqual(answer.error, "401 InvalidPassword")
    }
    await expectEqual(bench.logIn("bob@x.org", "wrong!", from: "10.0.2.6").error, "429 AuthError")
    bench.advance(seconds: 1)
    _ = try TestLogin(await bench.logIn("ann@x.org", from: "10.0.1.7"))
  }

  @Test func aNetworkOfVersion6HasOneLimit() async throws {
    let bench = try APIBench()
    for number in 0..<10 {
      let answer = await bench.logIn("\(number)@x.org", "wrong!", from: "2001:db8::\(number)")
      expectEqual(answer.error, "401 InvalidPassword")
    }
    await expectEqual(bench.logIn("z@x.org", "w", from: "2001:db8::ffff").error, "429 AuthError")
    await expectEqual(
      bench.logIn("z@x.org", "w", from: "2001:db8:0:1::1").error, "401 InvalidPassword")
  }

  @Test func registrationsHaveALimitOfTheirOwn() async throws {
    let bench = try APIBench()
    for number in 0..<30 { await expectEqual(bench.register("a\(number)@x.org").status, 201) }
    await expectEqual(bench.register("z@x.org").error, "429 AuthError")
    await expectEqual(bench.password("reset/send", #"{"email":"a@x.org"}"#).error, "429 AuthError")
    // Logging in goes on.
    _ = try TestLogin(await bench.logIn("a1@x.org"))
    await expectEqual(bench.register("z@x.org", from: "10.0.0.2").status, 201)
  }

  /// An app with Ann's account, whose hashes wait for the gate: one is being made.
  private static func busy() async throws -> (
    bench: APIBench, hasher: GatedHasher, first: Task<APIResponse, Never>
  ) {
    let hasher = GatedHasher()
    let bench = try APIBench(hasher: hasher)
    hasher.gate.withLock { $0 = true }
    await expectEqual(bench.register().status, 201)
    hasher.gate.withLock { $0 = false }
    let first = Task { await bench.logIn("first@x.org", from: "10.9.0.1") }
    try await hasher.wait(for: 0, in: bench)
    return (bench, hasher, first)
  }

  /// `PasswordChecker` 1 and 2
  @Test func registrationsWithoutEndHoldUpNoLogin() async throws {
    let (bench, hasher, first) = try await Self.busy()
    let refusals = Locked(0)
    let flood = (0..<80).map { number in
      Task {
        let answer = await bench.register("a\(number)@x.org", from: "10.0.\(number).9")
        if answer.status == 503 { refusals.withLock { $0 += 1 } }
      }
    }
    // Half of the places are for them, and none for more, whatever addresses they come from.
    try await hasher.wait(for: 32, in: bench)
    try await hasher.wait(forRefusals: 80 - 32, refusals)
    let logins = (0..<4).map { number in
      Task { await bench.logIn(from: "10.1.0.\(number)").status }
    }
    try await hasher.wait(for: 32 + 4, in: bench)
    hasher.gate.withLock { $0 = true }
    for login in logins { await expectEqual(login.value, 200) }
    for registration in flood { await registration.value }
    _ = await first.value
    // All were made by one thread, one after the other.
    expectEqual(hasher.threadCount, 1)
    expectEqual(hasher.mostAtOnce, 1)
  }

  @Test func anOverloadedServerCountsNoAttempt() async throws {
    let (bench, hasher, first) = try await Self.busy()
    let waiting = (0..<32).map { number in
      Task { await bench.logIn("\(number)@x.org", from: "10.2.0.\(number)").error }
    }
    try await hasher.wait(for: 32, in: bench)
    for _ in 0..<20 {
      await expectEqual(bench.logIn(from: "10.3.0.1").error, "503 InternalServerError")
    }
    hasher.gate.withLock { $0 = true }
    _ = await first.value
    for login in waiting { await expectEqual(login.value, "401 InvalidPassword") }
    await expectEqual(bench.logIn(from: "10.3.0.1").status, 200)
  }

  /// Who has a network of version 6 has more addresses than any table.
  @Test func aNetworkHasLimitsOfASecondLevel() throws {
    let limit = AddressLimit(3)
    func begin(_ network: Int, _ part: Int, _ host: Int = 1) -> Bool {
      let address = ClientAddress("2001:db8:\(network):\(part)::\(host)")
      return limit.begin(RequestOrigin(address: address), now: 1)
    }
    for part in 0..<8 {
      for host in 1...3 { expectTrue(begin(1, part, host)) }
      expectFalse(begin(1, part, 4))
    }
    expectFalse(begin(1, 9))
    expectTrue(begin(2, 9))
    // What the network refuses does not count for the address, and what is taken back for neither.
    let origin = RequestOrigin(address: ClientAddress("2001:db8:1:0::1"))
    limit.withdraw(origin)
    expectTrue(begin(1, 9))
    expectFalse(begin(1, 9))
    // Addresses of version 4 have no second level.
    for number in 0..<100 {
      expectTrue(
        limit.begin(RequestOrigin(address: ClientAddress("10.0.0.\(number)")), now: 1))
    }
  }

  // MARK: Addresses of others

  /// `AccountService` 4
  @Test func answersDoNotTellWhichAddressesAreRegistered() async throws {
    let bench = try APIBench(confirmation: .mail)
    await expectEqual(bench.register().status, 201)
    let mail = try #require(bench.mailer.mails.withLock { $0.last })
    await expectEqual(bench.password("confirm", Self.token(mail)).status, 200)
    await expectEqual(bench.register("waits@x.org").status, 201)
    bench.mailer.mails.withLock { $0 = [] }
    for path in ["register", "confirm/send", "reset/send"] {
      var answers: Set<String> = []
      for address in ["ann@x.org", "waits@x.org", "nobody@x.org"] where path != "register" {
        let answer = await bench.password(path, #"{"email":"\#(address)"}"#)
        answers.insert("\(answer.status) \(answer.text)")
      }
      for address in ["ann@x.org", "waits@x.org", "new@x.org"] where path == "register" {
        let answer = await bench.register(address, "secret9")
        answers.insert("\(answer.status) \(answer.text)")
      }
      expectEqual(answers.count, 1, "\(path): \(answers)")
    }
    // Whose address it is gets what is due.
    let mails = bench.mailer.mails.withLock { $0.map { "\($0.purpose) \($0.address)" } }
    expectEqual(
      Set(mails),
      [
        "confirmation waits@x.org", "confirmation new@x.org", "passwordReset ann@x.org",
        "passwordReset waits@x.org",
      ])
    // The password of a registration tells nothing either.
    for address in ["ann@x.org", "waits@x.org", "new@x.org", "nobody@x.org"] {
      await expectEqual(bench.logIn(address, "secret9").error, "401 InvalidPassword")
    }
    _ = try TestLogin(await bench.logIn())
  }

  @Test func aRegistrationThatIsNotConfirmedKeepsNobodyOut() async throws {
    let bench = try APIBench(confirmation: .mail)
    // Somebody registers Ann's address, before and after her.
    await expectEqual(bench.register("ann@x.org", "stolen").status, 201)
    await expectEqual(bench.register("ann@x.org", "secret1", from: "10.0.0.2").status, 201)
    await expectEqual(bench.register("ann@x.org", "stolen").status, 201)
    let mails = bench.mailer.mails.withLock { $0 }
    try #require(mails.count == 3)
    // She opens her own mail.
    await expectEqual(bench.password("confirm", Self.token(mails[1])).status, 200)
    _ = try TestLogin(await bench.logIn("ann@x.org", "secret1"))
    await expectEqual(
      bench.logIn("ann@x.org", "stolen", from: "10.0.0.3").error, "401 InvalidPassword")
    // The other mails are void.
    for mail in [mails[0], mails[2]] {
      await expectEqual(
        bench.password("confirm", Self.token(mail)).error, "400 BadRequest")
    }
    _ = try TestLogin(await bench.logIn("ann@x.org", "secret1"))
  }

  @Test func aMailThatNamesNoRegistrationSetsNoPasswordOfAnother() async throws {
    let bench = try APIBench(confirmation: .mail)
    await expectEqual(bench.register("ann@x.org", "stolen").status, 201)
    await expectEqual(bench.register("ann@x.org", "secret1").status, 201)
    await expectEqual(bench.password("confirm/send", #"{"email":"ann@x.org"}"#).status, 200)
    let mail = try #require(bench.mailer.mails.withLock { $0.last })
    await expectEqual(bench.password("confirm", Self.token(mail)).status, 200)
    await expectEqual(bench.logIn("ann@x.org", "stolen").error, "401 InvalidPassword")
  }

  @Test func anAddressGetsFewMailsAnHour() async throws {
    let bench = try APIBench()
    await expectEqual(bench.register().status, 201)
    for number in 0..<8 {
      let answer = await bench.password(
        "reset/send", #"{"email":"ann@x.org"}"#, from: "10.0.0.\(number)")
      expectEqual(answer.status, 200)
    }
    expectEqual(bench.mailer.mails.withLock { $0.count }, 5)
    bench.advance(minutes: 60)
    _ = await bench.password("reset/send", #"{"email":"ann@x.org"}"#)
    expectEqual(bench.mailer.mails.withLock { $0.count }, 6)
  }
}

/// A hasher that waits while its gate is closed.
private final class GatedHasher: PasswordHasher {
  private struct Calls {
    var begunCount = 0
    var now = 0
    var mostAtOnce = 0
    var threads: Set<ObjectIdentifier> = []
  }

  let gate = Locked(false)
  private let calls = Locked(Calls())

  var threadCount: Int { calls.withLock { $0.threads.count } }
  var mostAtOnce: Int { calls.withLock { $0.mostAtOnce } }

  func hash(_ password: [UInt8], salt: [UInt8]) -> [UInt8] {
    let thread = ObjectIdentifier(Thread.current)
    calls.withLock { calls in
      calls.begunCount += 1
      calls.now += 1
      calls.mostAtOnce = max(calls.mostAtOnce, calls.now)
      calls.threads.insert(thread)
    }
    while !gate.withLock({ $0 }) { Thread.sleep(forTimeInterval: 0.002) }
    calls.withLock { $0.now -= 1 }
    return salt + password.reversed()
  }

  /// Waits until the second hash is being made, and so many passwords wait for theirs.
  func wait(for count: Int, in bench: APIBench) async throws {
    let passwords = bench.accounts.passwords
    for _ in 0..<5_000
    where calls.withLock({ $0.begunCount }) < 2 || passwords.waitingCount < count {
      try await Task.sleep(for: .milliseconds(10))
    }
    try #require(passwords.waitingCount == count)
  }

  /// Waits until so many requests were refused.
  func wait(forRefusals count: Int, _ refusals: Locked<Int>) async throws {
    for _ in 0..<5_000 where refusals.withLock({ $0 }) < count {
      try await Task.sleep(for: .milliseconds(10))
    }
    expectEqual(refusals.withLock { $0 }, count)
  }
}
#endif
