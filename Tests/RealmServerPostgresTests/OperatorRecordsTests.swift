// SPDX-License-Identifier: Apache-2.0

// Commands about users, keys and triggers, whose records are in a database.

#if Postgres
import Foundation
import RealmServerEngine
import RealmServerServices
import RealmServerPostgres
import RealmStorage
import RealmSwift
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerKit

@Suite(.heavy)
struct OperatorRecordsTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private var folder: String { directory.file("data") }

  private func server(store: String?) throws -> RealmServer {
    try TodoServer.make(folder, store: store)
  }

  private func records(store: String?) throws -> OperatorRecords {
    try OperatorRecords(ServerDirectory(existing: folder), store: store)
  }

  private func failure(store: String?) -> String {
    do {
      try records(store: store).close()
      return ""
    } catch { return "\(error)" }
  }

  @MainActor private func logIn(at url: String, _ device: String) async throws -> User {
    let place = AppConfiguration(baseURL: url, defaultRequestTimeoutMS: 600_000)
    place.directory = directory.file(device)
    return try await App(id: "todos", configuration: place).login(credentials: .anonymous)
  }

  @Test(.withPostgres) @MainActor func usersAreDisabledBesideTheirServer() async throws {
    let cluster = try PostgresCluster.shared.get()
    let address = cluster.address(try cluster.makeDatabase())
    try await server(store: address).run { url in
      let ann = try await logIn(at: url, "ann")
      let bob = try await logIn(at: url, "bob")
      let records = try records(store: address)
      let users = try records.users(of: "todos")
      expectEqual(
        Set(try await users.page(AccountPage.Request(search: "")).users.map(\.id)),
        [ann.id, bob.id])
      try await users.setDisabled(true, of: ann.id)
      #expect(try records.triggers(of: "todos") == nil)
      records.close()
      _ = try await CommandRequests(folder).ask(.endAccess)
      await #expect(throws: (any Error).self) { try await ann.refreshCustomData() }
      _ = try await bob.refreshCustomData()
    }
  }

  @Test(.withPostgres) func theDatabaseOfTheFolderIsNamed() throws {
    let cluster = try PostgresCluster.shared.get()
    let (own, other) = (try cluster.makeDatabase(), try cluster.makeDatabase())
    _ = try server(store: cluster.address(own))
    expectTrue(failure(store: nil).contains("are in a database: give its address with --store"))
    expectTrue(failure(store: cluster.address(other)).contains("with another database"))
    expectTrue(failure(store: "postgresql:///x?host=/none&connect_timeout=1").contains("--store"))
    let records = try records(store: cluster.address(own))
    records.close()
  }

  @Test(.withPostgres) func filesNeedNoDatabase() async throws {
    _ = try server(store: nil)
    expectTrue(failure(store: "postgresql:///x?host=/none").contains("leave --store out"))
    let records = try records(store: nil)
    defer { records.close() }
    #expect(
      try await records.users(of: "todos").page(AccountPage.Request(search: "")).users.isEmpty)
    #expect(try records.triggers(of: "todos") == nil)
    #expect(throws: ServerFailure.self) { try records.users(of: "other") }
  }
}
#endif
