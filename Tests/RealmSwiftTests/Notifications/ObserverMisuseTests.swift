// SPDX-License-Identifier: Apache-2.0

// Where observers cannot be registered, the process ends with the documented text.

import Foundation
import RealmSwiftTestSupport
import Testing

@_spi(RealmTesting) @testable import RealmSwift

@Suite(.timeLimit(.minutes(10))) struct ObserverMisuseTests {
  private func expect(
    _ text: String, in result: ExitTest.Result?, _ location: SourceLocation = #_sourceLocation
  ) {
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said.contains(text), "said: \(said.prefix(400))", sourceLocation: location)
  }

  @Test func fromOutsideOfTheActor() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let watcher = try await Watcher(freshConfiguration())
      await MainActor.run { _ = watcher.tasks.observe { _ in } }
    }
    expect("Realm accessed from incorrect thread. It lives on the actor Watcher", in: result)
  }

  @Test func ofAReadOnlyRealm() async {
    let text = "Read-only Realms do not change and do not have change notifications."
    let collection = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
    { try await withReadOnlyPeople { _ = $0.observe { _ in } } }
    expect(text, in: collection)
    let object = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await withReadOnlyPeople { _ = $0[0].observe { (_: ObjectChange<Person>) in } }
    }
    expect(text, in: object)
    let realm = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await withReadOnlyPeople { _ = $0.realm?.observe { _, _ in } }
    }
    expect(text, in: realm)
    let onActor = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await withReadOnlyPeople { _ = await $0.observe(on: Listener()) { _, _ in } }
    }
    expect(text, in: onActor)
  }

  @Test func ofUnmanagedCollectionsOnActors() async {
    let text = "Change notifications are only supported for managed objects"
    let list = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = await List<Int>().observe(on: Listener()) { _, _ in }
    }
    expect(text, in: list)
    let map = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = await Map<String, Int>().observe(on: Listener()) { _, _ in }
    }
    expect(text, in: map)
  }

  @Test func ofUnmanagedObjectsOnActors() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = await AsyncTask().observe(on: Listener()) { (_, _: ObjectChange<AsyncTask>) in }
    }
    expect("Only objects which are managed by a Realm support change notifications", in: result)
  }
}

private actor Listener {}

private actor Watcher {
  // nonisolated(unsafe): the tests break the rule to see it enforced.
  nonisolated(unsafe) private(set) var realm: Realm!

  init(_ configuration: Realm.Configuration) async throws {
    realm = try await Realm(configuration: configuration, actor: self)
  }

  nonisolated var tasks: Results<AsyncTask> { realm.objects(AsyncTask.self) }
}

/// Runs `body` with the people of a file with one, opened for reading only.
@MainActor private func withReadOnlyPeople(
  _ body: @MainActor (Results<Person>) async -> Void
) async throws {
  let file = try TemporaryRealm()
  try {
    let realm = try file.open()
    try realm.write { _ = realm.create(Person.self, value: ["id": 1, "name": "Ann"]) }
  }()
  _RealmTesting.resetState()
  file.configuration.readOnly = true
  await body(try file.open().objects(Person.self))
}
