// SPDX-License-Identifier: Apache-2.0

// The model of the example with views, against a server.

#if Server
import RealmServerKit
import RealmSwift
import RealmTestSupport
import Testing

@testable import TodosAppModel

@Suite(.timeLimit(.minutes(10))) struct TodosAppTests {
  @Test @MainActor func peopleRegisterAndShareTheirListWithTheirDevices() async throws {
    var settings = AppSettings()
    settings.logIns = [.emailPassword()]
    let app = AppDefinition("todos", settings: settings, classes: [Todo.self])
    try await KitServer.run(app) { server in
      @MainActor func account(_ device: String) -> TodoAccount {
        let settings = AppConfiguration(
          baseURL: server.address, defaultRequestTimeoutMS: 600_000)
        settings.directory = server.directory.file(device)
        return TodoAccount(app: "todos", settings: settings)
      }
      @MainActor func open(_ account: TodoAccount) async throws -> Realm {
        try await Realm(
          configuration: try #require(account.configuration), actor: MainActor.shared,
          downloadBeforeOpen: .always)
      }
      let phone = account("phone")
      // A wrong password is an error, and no user is logged in.
      await phone.logIn(email: "ann@example.org", password: "secret1")
      #expect(phone.failure == "invalid username/password")
      #expect(phone.configuration == nil)
      await phone.logIn(email: "ann@example.org", password: "secret1", isNew: true)
      #expect(phone.failure == nil)
      #expect(!phone.isBusy && !phone.owner.isEmpty)
      let first = try await open(phone)
      try await first.asyncWrite {
        first.add(Todo(value: ["name": "Water the plants", "owner": phone.owner]))
      }
      try await first.syncSession?.wait(for: .upload)
      // Another device of the same user.
      let desk = account("desk")
      await desk.logIn(email: "ann@example.org", password: "secret1")
      let second = try await open(desk)
      #expect(second.objects(Todo.self).map(\.name) == ["Water the plants"])
      #expect(second.objects(Todo.self).first?.owner == desk.owner)
      // A start without a log-in has the user; after the log-out there is none.
      #expect(account("phone").owner == phone.owner)
      await phone.logOut()
      #expect(phone.configuration == nil && phone.owner.isEmpty)
      #expect(account("phone").configuration == nil)
    }
  }
}
#endif
