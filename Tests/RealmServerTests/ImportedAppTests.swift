// SPDX-License-Identifier: Apache-2.0

// An app of the former service, from its export to its devices.

#if Server
import Foundation
import RealmFormats
import RealmSwift
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServer
@testable import RealmServerKit

/// The classes of an imported app, as its devices have them.
private final class Item: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var owner: String
  @Persisted var summary: String
  @Persisted var isComplete: Bool
  @Persisted var profile: ItemProfile?
  @Persisted var done: Date?

  override class func propertiesMapping() -> [String: String] { ["owner": "owner_id"] }
}

private final class ItemProfile: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var owner: String
  @Persisted var name: String

  override class func _realmObjectName() -> String? { "Profile" }

  override class func propertiesMapping() -> [String: String] { ["owner": "owner_id"] }
}

struct ImportedAppTests {
  /// A device of a user who has chosen a password with the mail.
  private static func device(
    _ number: Int, of server: RunningServer, _ app: TutorialApp
  ) async throws -> User {
    let mail = try #require(try app.mails[TutorialApp.email(number)])
    let configuration = AppConfiguration(baseURL: server.address)
    configuration.directory = server.directory.path + "/device\(number)"
    let client = App(id: TutorialApp.id, configuration: configuration)
    let token = try #require(mail["token"]?.string)
    let tokenID = try #require(mail["tokenId"]?.string)
    try await client.emailPasswordAuth.resetPassword(
      to: "password", token: token, tokenId: tokenID)
    return try await client.login(
      credentials: .emailPassword(email: TutorialApp.email(number), password: "password"))
  }

  @MainActor private static func open(_ user: User) async throws -> Realm {
    var configuration = user.flexibleSyncConfiguration(
      clientResetMode: .manual(),
      initialSubscriptions: { subscriptions in
        subscriptions.append(QuerySubscription<Item>(name: "items"))
        subscriptions.append(QuerySubscription<ItemProfile>(name: "profiles"))
      })
    configuration.objectTypes = [Item.self, ItemProfile.self]
    return try await Realm(
      configuration: configuration, actor: MainActor.shared, downloadBeforeOpen: .always)
  }

  /// Two commands lead from an export to devices: import and serve.
  @Test(.heavy) @MainActor func anAppIsImportedAndItsUsersGoOn() async throws {
    let directory = try TemporaryDirectory()
    let app = try TutorialApp(in: directory.path, userCount: 100, itemCount: 10_000)
    let (shown, answer) = try await app.run()
    expectTrue(shown.contains("The function greet is not carried over"))
    expectTrue(shown.contains("100 %, 10100 documents"))
    expectTrue(answer.contains("100 users and 10100 objects are there"))
    expectTrue(answer.contains("100 mails wait in"))
    let mail = try #require(try app.mails[TutorialApp.email(7)])
    expectEqual(mail["text"]?.string?.contains("valid for 7 days"), true)
    expectEqual(mail["link"]?.string?.hasPrefix("https://tasks.example.org/reset?token="), true)

    let server = try await RunningServer(directory)
    let user = try await Self.device(7, of: server, app)
    expectEqual(user.id, app.user(7))
    let realm = try await Self.open(user)
    let items = realm.objects(Item.self)
    expectEqual(items.count, 100)
    #expect(items.allSatisfy { $0.owner == user.id })
    expectEqual(realm.objects(ItemProfile.self).count, 100)
    let first = try #require(items.where { $0.summary == "item 7" }.first)
    expectEqual(first.profile?.name, "User 7")
    expectEqual(first.done, Date(timeIntervalSince1970: 1_735_787_045))
    try await realm.asyncWrite { first.summary = "changed" }
    try await realm.syncSession?.wait(for: .upload)

    let other = try await Self.device(8, of: server, app)
    let theirs = try await Self.open(other)
    expectEqual(theirs.objects(Item.self).count, 100)
    #expect(theirs.objects(Item.self).allSatisfy { $0.owner == other.id })
    let collection = user.mongoClient("mongodb-atlas").database(named: "todo")
      .collection(withName: "Item")
    let found = try await collection.count(filter: ["summary": "changed"])
    expectEqual(found, 1)
    try await server.stop()
  }
}
#endif
