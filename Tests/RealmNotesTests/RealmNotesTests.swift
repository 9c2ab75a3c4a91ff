// SPDX-License-Identifier: Apache-2.0

// The example of a web service, by real requests: its routes, many clients at once, and live
// updates with a connection that is lost.

#if Tools
import AsyncHTTPClient
import Foundation
import Hummingbird
import NIOCore
import NIOHTTP1
import RealmSwift
import Testing

@testable import realm_notes

struct RealmNotesTests {
  /// The service has no accounts, so nothing but the command line opens it to other machines.
  @Test func itListensOnTheLoopbackAddressUnlessToldOtherwise() async throws {
    let plain = try #require(NoteOptions(["notes.realm", "8080"]))
    #expect(plain.host == "127.0.0.1")
    #expect(plain.path == "notes.realm" && plain.port == 8080)
    #expect(NoteOptions(["notes.realm", "8080", "0.0.0.0"])?.host == "0.0.0.0")
    for wrong in [[], ["a.realm"], ["a.realm", "x"], ["a.realm", "70000"], ["a", "1", "b", "c"]] {
      #expect(NoteOptions(wrong) == nil)
    }
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("notes-\(UUID().uuidString).realm")
    defer { _ = try? Realm.deleteFiles(for: Realm.Configuration(fileURL: url)) }
    let application = RealmNotes.application(try await NoteStore(url), port: 8080)
    #expect(application.configuration.address == .hostname("127.0.0.1", port: 8080))
  }

  /// Runs `body` against a service of its own.
  private func withService(_ body: (NoteClient, NoteStore) async throws -> Void) async throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("notes-\(UUID().uuidString).realm")
    defer { _ = try? Realm.deleteFiles(for: Realm.Configuration(fileURL: url)) }
    let store = try await NoteStore(url)
    let (ports, started) = AsyncStream.makeStream(of: Int.self)
    let service = Task {
      try await RealmNotes.application(store, host: "127.0.0.1", port: 0) { started.yield($0) }
        .run()
    }
    var port: Int?
    for await first in ports {
      port = first
      break
    }
    do {
      try await body(NoteClient(port: try #require(port)), store)
    } catch {
      service.cancel()
      throw error
    }
    service.cancel()
    _ = await service.result
  }

  @Test func notesAreMadeChangedAndDeleted() async throws {
    try await withService { client, _ in
      let note = try await client.send(.POST, "notes", NoteInput(text: "Water the plants"))
      #expect(note.status == 201)
      let id = try note.decode(NoteBody.self).id
      #expect(try await client.send(.GET, "notes/\(id)").decode(NoteBody.self).isDone == false)
      let done = try await client.send(.PATCH, "notes/\(id)", NoteInput(isDone: true))
      #expect(try done.decode(NoteBody.self).isDone)
      #expect(try await client.send(.GET, "notes?done=false").decode([NoteBody].self).isEmpty)
      #expect(try await client.send(.GET, "notes?done=true").decode([NoteBody].self).count == 1)
      #expect(try await client.send(.DELETE, "notes/\(id)").status == 204)
      #expect(try await client.send(.DELETE, "notes/\(id)").status == 404)
      #expect(try await client.send(.GET, "notes/\(id)").status == 404)
      #expect(try await client.send(.GET, "notes/nonsense").status == 400)
      #expect(try await client.send(.POST, "notes", NoteInput(text: "")).status == 400)
    }
  }

  @Test func manyClientsAreServedAtOnce() async throws {
    try await withService { client, store in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<32 {
          group.addTask {
            for round in 0..<10 {
              let added = try await client.send(
                .POST, "notes", NoteInput(text: "\(number) \(round)"))
              let id = try added.decode(NoteBody.self).id
              let changed = try await client.send(.PATCH, "notes/\(id)", NoteInput(isDone: true))
              #expect(changed.status == 200)
              if round % 2 == 0 {
                #expect(try await client.send(.DELETE, "notes/\(id)").status == 204)
              }
            }
          }
        }
        try await group.waitForAll()
      }
      let notes = await store.notes(isDone: true)
      #expect(notes.count == 160)
      #expect(Set(notes.map(\.text)).count == 160)
    }
  }

  @Test func listenersGetWhatChangesAndWhatTheyMissed() async throws {
    try await withService { client, store in
      let first = try await client.send(.POST, "notes", NoteInput(text: "one"))
      let id = try first.decode(NoteBody.self).id
      var last: String?
      try await client.listen(since: nil) { events in
        var iterator = events.makeAsyncIterator()
        let start = try #require(try await iterator.next())
        #expect(start.event.isReset && start.event.changed.map(\.text) == ["one"])
        _ = try await client.send(.PATCH, "notes/\(id)", NoteInput(text: "two"))
        let change = try #require(try await iterator.next())
        #expect(!change.event.isReset && change.event.changed.map(\.text) == ["two"])
        last = change.id
      }
      // The connection is closed.
      _ = try await client.send(.DELETE, "notes/\(id)")
      _ = try await client.send(.POST, "notes", NoteInput(text: "three"))
      try await client.listen(since: last) { events in
        var iterator = events.makeAsyncIterator()
        let missed = try #require(try await iterator.next())
        #expect(!missed.event.isReset)
        #expect(missed.event.changed.map(\.text) == ["three"] && missed.event.deleted == [id])
      }
      try await client.listen(since: "bm9uc2Vuc2U=") { events in
        var iterator = events.makeAsyncIterator()
        let start = try #require(try await iterator.next())
        #expect(start.event.isReset)
      }
      while await store.listenerCount > 0 { try await Task.sleep(for: .milliseconds(5)) }
    }
  }
}
#endif
