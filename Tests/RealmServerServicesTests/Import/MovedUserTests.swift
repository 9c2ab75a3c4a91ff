// SPDX-License-Identifier: Apache-2.0

// Users of the former service.

#if Server
import RealmFormats
import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine
@testable import RealmServerServices

struct MovedUserTests {
  private static let ann = "0123456789abcdef00000001"
  private static let bob = "0123456789abcdef00000002"

  private static func store(_ list: String) async throws -> (AccountStore, Int) {
    let accounts = try AccountStore(
      SimulatedFileSystem().openDatabase(), now: ImportBench.clock.now())
    var files = MemoryFiles()
    files.add(["users.json": list])
    let bytes = try DumpBytes("users.json", in: files)
    let reader = UserReader(JSONDump(bytes, of: UserReader.namespace))
    return (accounts, try await reader.store(in: accounts))
  }

  @Test func usersOfTheInterfaceKeepTheirIdsAndWaysToLogIn() async throws {
    let (accounts, count) = try await Self.store(
      #"""
      [{"_id":"\#(Self.ann)","type":"normal","creation_date":1700000000,"disabled":true,
        "data":{"email":"ann@example.org","name":"Ann"},
        "identities":[
          {"id":"65a","provider_type":"local-userpass","provider_id":"1"},
          {"id":"google-1","provider_type":"oauth2-google","provider_id":"2"},
          {"id":"k","provider_type":"api-key","provider_id":"3"}]},
       {"_id":"\#(Self.bob)","type":"normal","data":{},
        "identities":[{"id":"x","provider_type":"anon-user","provider_id":"4"}]},
       {"_id":"0123456789abcdef00000003","type":"server","data":{"name":"robot"},
        "identities":[{"id":"y","provider_type":"api-key","provider_id":"5"}]}]
      """#)
    expectEqual(count, 1)
    let account = try #require(try await accounts.account(email: "ann@example.org"))
    expectEqual(account.id, Self.ann)
    expectTrue(account.isDisabled)
    expectEqual(
      account.identities,
      [
        IdentityName(provider: "local-userpass", name: "ann@example.org"),
        IdentityName(provider: "oauth2-google", name: "google-1"),
      ])
    expectEqual(account.created, OriginTimestamp(unixMilliseconds: 1_700_000_000_000))
    try await expectEqual(accounts.account(Self.bob), nil)
  }

  /// A user who logs in by several ways is in several tables of the command line.
  @Test func tablesOfTheCommandLineAreRead() async throws {
    let (accounts, count) = try await Self.store(
      #"""
      {"time":"2026","level":"info","message":"Provider type: User/Password","headers":["Email"],
       "data":[{"Email":"ann@example.org","ID":"\#(Self.ann)","Type":"normal","Enabled":true},
         {"Email":"bob@example.org","ID":"\#(Self.bob)","Type":"normal","Enabled":false}]}
      {"message":"Provider type: Google","data":[{"ID":"\#(Self.ann)","Type":"normal"}]}
      """#)
    expectEqual(count, 2)
    try await expectEqual(accounts.account(email: "ann@example.org")?.id, Self.ann)
    try await expectEqual(accounts.account(email: "bob@example.org")?.isDisabled, true)
  }

  /// `AccountStore+Moving` 1
  @Test func addingUsersAgainChangesNothing() async throws {
    let list = #"""
      [{"_id":"\#(Self.ann)","data":{"email":"a@b.org"},
        "identities":[{"id":"65a","provider_type":"local-userpass"}]}]
      """#
    // Pages of the interface, one after the other.
    let (accounts, _) = try await Self.store(list + "\n[]" + list)
    try await expectEqual(accounts.account(Self.ann)?.identities.count, 1)
  }

  @Test func twoUsersWithOneAddressAreNamed() async throws {
    await #expect {
      _ = try await Self.store(
        #"""
        {"_id":"\#(Self.ann)","data":{"email":"a@b.org"},
         "identities":[{"id":"1","provider_type":"local-userpass"}]}
        {"_id":"\#(Self.bob)","data":{"email":"a@b.org"},
         "identities":[{"id":"2","provider_type":"local-userpass"}]}
        """#)
    } throws: {
      "\($0)".contains("two users who log in as a@b.org")
    }
  }
}
#endif
