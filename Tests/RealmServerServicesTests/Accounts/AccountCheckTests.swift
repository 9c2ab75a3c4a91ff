// SPDX-License-Identifier: Apache-2.0

// The check of a file of users.

#if Server
import RealmStorage
import RealmSyncProtocol
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine
@testable import RealmServerServices

struct AccountCheckTests {
  private static let now = OriginTimestamp(milliseconds: 300_000_000_000)

  /// A file of two users, in which a test may change rows.
  private static func file(
    _ directory: TemporaryDirectory,
    _ change: @Sendable (AccountTransaction) throws(AccountError) -> Void = { _ in }
  ) async throws -> String {
    let path = directory.file("accounts.realm")
    let store = try AccountStore.open(path, app: "todos", isNew: true, now: now)
    for number in 0..<2 {
      try await store.write { (accounts) throws(AccountError) in
        let name = IdentityName(provider: "local-userpass", name: "u\(number)@x.org")
        var identity = Identity(name, id: "i\(number)")
        identity.account = "u\(number)"
        var account = Account(id: "u\(number)", created: now)
        account.identities = [name]
        try accounts.put(account)
        try accounts.put(identity)
        try accounts.put(
          AccountSession(
            id: "s\(number)", account: "u\(number)", device: "d",
            expires: OriginTimestamp(milliseconds: now.milliseconds + UInt64(number) * 1_000 + 1)))
      }
    }
    try await store.write(change)
    return path
  }

  @Test func aWholeFileHasNoFindings() async throws {
    let directory = try TemporaryDirectory()
    let path = try await Self.file(directory)
    let check = try AccountCheck(path: path, app: "todos")
    expectEqual(check.findings, [])
    expectEqual(check.users, ["u0", "u1"])
    expectEqual(check.counts?.users, 2)
    expectEqual(check.counts?.sessions, 2)
    try expectEqual(AccountCheck.counts(path: path).users, 2)
    try expectEqual(
      AccountCheck.lastExpiry(path: path),
      OriginTimestamp(milliseconds: Self.now.milliseconds + 1_001))
  }

  @Test func theFileOfAnotherAppIsAFinding() async throws {
    let directory = try TemporaryDirectory()
    let check = try AccountCheck(path: try await Self.file(directory), app: "notes")
    expectEqual(check.findings, ["it has the users of the app 'todos'"])
  }

  @Test func identitiesBelongToTheirUsers() async throws {
    let directory = try TemporaryDirectory()
    let path = try await Self.file(directory) { (accounts) throws(AccountError) in
      try accounts.remove(Account.self, "u0")
      try accounts.remove(Identity.self, "local-userpass u1@x.org")
    }
    try expectEqual(
      AccountCheck(path: path, app: "todos").findings,
      [
        "the identity i0 is not that of its user",
        "the user u1 has an identity that is not there",
      ])
  }

  @Test func aFileWithoutUsersIsNone() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("other.realm")
    try CompleteFile.make(path) { (_) throws(StorageError) in }
    #expect(try AccountCheck(path: path, app: "todos").findings.count >= 3)
    #expect(throws: StoreError.self) {
      try AccountCheck(path: directory.file("none.realm"), app: "todos")
    }
  }
}
#endif
