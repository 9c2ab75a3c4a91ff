// SPDX-License-Identifier: Apache-2.0

// The example of a server and a client in one package.

#if Server
import ErrandModels
import RealmServerKit
import RealmSwift
import RealmTestSupport
import Testing

@testable import realm_errands
@testable import realm_errands_server

struct ErrandTests {
  @Test @MainActor func serverAndClientsShareErrands() async throws {
    let app = ErrandApp.definition(word: "sesame")
    try await KitServer.run(app) { server in
      func list(_ name: String, word: String = "sesame") async throws -> ErrandList {
        let configuration = AppConfiguration(
          baseURL: server.address, defaultRequestTimeoutMS: 600_000)
        configuration.directory = server.directory.file(name)
        return try await ErrandList(Ticket(name: name, word: word), at: configuration)
      }
      await #expect(throws: AppError.self) { try await list("eve", word: "open") }
      let (ann, bob) = (try await list("ann"), try await list("bob"))
      try await ann.add("Buy milk", isPublic: true)
      try await ann.add("Read the diary")
      for _ in 0..<1_500 where bob.errands.isEmpty { try await bob.download() }
      #expect(bob.errands.map(\.text) == ["Buy milk"])
      #expect(try await ann.summary() == Summary(open: 2, done: 0))
      #expect(try await bob.summary() == Summary(open: 1, done: 0))
      // The server says when an errand was done.
      let milk = try #require(ann.errands.first { $0.text == "Buy milk" })
      try await ann.finish(milk)
      for _ in 0..<1_500 where milk.doneAt == nil {
        try await Task.sleep(for: .milliseconds(20))
        try await ann.download()
      }
      #expect(milk.doneAt != nil)
      #expect(try await bob.tidy() == 0)
      #expect(try await ann.tidy() == 1)
      #expect(try await ann.summary() == Summary(open: 1, done: 0))
    }
  }
}
#endif
