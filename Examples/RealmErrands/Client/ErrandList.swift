// SPDX-License-Identifier: Apache-2.0

// The errands as a device has them.

#if Sync
import ErrandModels
import Foundation
import RealmSwift

/// The errands of a person, and those that others show.
@MainActor
final class ErrandList {
  let user: User
  private let realm: Realm

  /// Logs a person in, and waits for the errands.
  init(_ ticket: Ticket, at server: AppConfiguration) async throws {
    let app = App(id: "errands", configuration: server)
    user = try await app.login(
      credentials: .function(
        payload: ["name": .string(ticket.name), "word": .string(ticket.word)]))
    var configuration = user.flexibleSyncConfiguration(initialSubscriptions: { subscriptions in
      subscriptions.append(QuerySubscription<Errand>(name: "all"))
    })
    configuration.objectTypes = [Errand.self]
    realm = try await Realm(
      configuration: configuration, actor: MainActor.shared, downloadBeforeOpen: .always)
  }

  /// The errands, the oldest first.
  var errands: Results<Errand> { realm.objects(Errand.self).sorted(byKeyPath: "_id") }

  /// Adds an errand, and waits until the server has it.
  func add(_ text: String, isPublic: Bool = false) async throws {
    let owner = user.id
    try await realm.asyncWrite {
      realm.add(Errand(value: ["text": text, "owner": owner, "isPublic": isPublic]))
    }
    try await realm.syncSession?.wait(for: .upload)
  }

  /// Notes that an errand is done, and waits until the server knows.
  func finish(_ errand: Errand) async throws {
    try await realm.asyncWrite { errand.isDone = true }
    try await realm.syncSession?.wait(for: .upload)
  }

  /// Waits until the errands are those of the server.
  func download() async throws {
    try await realm.syncSession?.wait(for: .download)
    await realm.asyncRefresh()
  }

  /// The server's count of the errands.
  func summary() async throws -> Summary {
    let document = try await user.functions.summary([]).documentValue ?? [:]
    return Summary(
      open: document["open"]??.asInt() ?? 0, done: document["done"]??.asInt() ?? 0)
  }

  /// Has the server remove what is done. Returns the number of those errands.
  func tidy() async throws -> Int { try await user.functions.tidy([]).asInt() ?? 0 }
}
#endif
