// SPDX-License-Identifier: Apache-2.0

// The file of users: crashes, damage, secrets.

import RealmStorage
import RealmSyncProtocol
import RealmTestSupport
import Testing

@testable import RealmServerEngine

@Suite struct AccountStoreTests {
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
    #expect(response.status == 200)
  }

  /// `AccountService` 2
  @Test func neitherPasswordsNorTokensAreStored() async throws {
    let bench = try APIBench(confirmation: .mail)
    #expect(await bench.register("ann@x.org", "PASSWORD-1").status == 201)
    let mail = try #require(bench.mailer.mails.withLock { $0.last })
    let login = try await bench.anonymous()
    let content = try bench.system.file.contents()
    for secret in ["PASSWORD-1", mail.token, login.access, login.refresh] {
      #expect(content.firstRange(of: Array(secret.utf8)) == nil)
    }
    #expect(content.firstRange(of: Array("ann@x.org".utf8)) != nil)
  }

  @Test func aFileOfAnotherKindIsRefused() throws {
    let system = try SimulatedFileSystem(contents: Array("no realm file".utf8))
    #expect(throws: (any Error).self) { try APIBench(system) }
  }
}
