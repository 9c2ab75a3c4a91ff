// SPDX-License-Identifier: Apache-2.0

// What views show: the part of the property wrappers of SwiftUI that needs no SwiftUI.

#if canImport(Combine) || OpenCombine
#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif
import Foundation
import RealmStorage
import TestExtensions
import Testing

@testable import RealmSwift

@MainActor @Suite(.timeLimit(.minutes(10))) struct ShownResultsTests {
  /// Counts what an observable object tells its view.
  private final class Draws {
    private(set) var count = 0
    private var subscription: AnyCancellable?

    init<O: ObservableObject>(_ object: O) {
      subscription = object.objectWillChange.sink { [weak self] _ in self?.count += 1 }
    }

    /// Waits until the view was told that often.
    @MainActor func wait(for number: Int) async throws {
      for _ in 0..<3_000 where count < number { try await Task.sleep(for: .milliseconds(10)) }
      expectTrue(count >= number)
    }
  }

  private func names(_ shown: ShownResults<Pet>, _ club: Club) -> [String] {
    shown.results(in: club.configuration).map(\.name)
  }

  @Test func resultsAreFrozenAndRenewedAfterEachChange() async throws {
    let club = try await Club()
    let shown = ShownResults<Pet>(ShownRequest(sortDescriptors: ["name"]))
    let draws = Draws(shown)
    let first = shown.results(in: club.configuration)
    expectTrue(first.isFrozen)
    expectTrue(shown.results(in: club.configuration) == first)
    expectEqual(draws.count, 0)
    try club.addPet("Bello")
    try await draws.wait(for: 1)
    expectEqual(names(shown, club), ["Bello", "Rex"])
    expectEqual(first.map(\.name), ["Rex"])
    expectFalse(shown.live(in: club.configuration).isFrozen)
  }

  @Test func aViewChangesWhatItShows() async throws {
    let club = try await Club()
    for name in ["Bello", "Rita", "Alma"] { try club.addPet(name) }
    let shown = ShownResults<Pet>(ShownRequest(configuration: club.configuration))
    let draws = Draws(shown)
    expectEqual(names(shown, club), ["Rex", "Bello", "Rita", "Alma"])
    shown.sortDescriptors = [SortDescriptor(keyPath: "name", ascending: false)]
    expectEqual(draws.count, 1)
    expectEqual(names(shown, club), ["Rita", "Rex", "Bello", "Alma"])
    shown.condition = .query { $0.name.starts(with: "R") }
    expectEqual(draws.count, 2)
    expectEqual(names(shown, club), ["Rita", "Rex"])
    // One condition replaces the other.
    shown.condition = .predicate(NSPredicate(format: "name CONTAINS 'l'"))
    expectEqual(names(shown, club), ["Bello", "Alma"])
    shown.condition = .none
    expectEqual(names(shown, club).count, 4)
  }

  @Test func aSearchIsAnotherCondition() async throws {
    let club = try await Club()
    for name in ["Bello", "Rita"] { try club.addPet(name) }
    let shown = ShownResults<Pet>(
      ShownRequest(condition: .query { $0.name.starts(with: "R") }, sortDescriptors: ["name"]))
    let draws = Draws(shown)
    shown.search("e", in: \.name)
    expectEqual(names(shown, club), ["Rex"])
    shown.search("it", in: \.name)
    expectEqual(names(shown, club), ["Rita"])
    shown.condition = .none
    expectEqual(names(shown, club), ["Rita"])
    shown.search("", in: \.name)
    expectEqual(names(shown, club), ["Bello", "Rex", "Rita"])
    // Views search while they are drawn.
    expectEqual(draws.count, 1)
  }

  @Test func whatAViewChangedStaysUntilItIsDeclaredAnew() async throws {
    let club = try await Club()
    for name in ["Bello", "Rita"] { try club.addPet(name) }
    func request(_ letter: String) -> ShownRequest<Pet> {
      ShownRequest(condition: .query { $0.name.contains(letter) }, sortDescriptors: ["name"])
    }
    let shown = ShownResults<Pet>(request("R"))
    expectEqual(names(shown, club), ["Rex", "Rita"])
    shown.condition = .none
    shown.declare(request("R"))
    expectEqual(names(shown, club), ["Bello", "Rex", "Rita"])
    shown.declare(request("e"))
    expectEqual(names(shown, club), ["Bello", "Rex"])
    var other = request("e")
    other.sortDescriptors = [SortDescriptor(keyPath: "name", ascending: false)]
    shown.declare(other)
    expectEqual(names(shown, club), ["Rex", "Bello"])
  }

  @Test func projectionsAreShown() async throws {
    let club = try await Club()
    try club.write { _ = club.realm.create(Member.self, value: ["id": 2, "name": "Bob"]) }
    let shown = ShownResults<Badge>(
      ShownRequest(sortDescriptors: [SortDescriptor(keyPath: "name", ascending: false)]))
    let draws = Draws(shown)
    expectEqual(shown.results(in: club.configuration).map(\.title), ["Bob", "Ann"])
    shown.condition = .query { $0.name == "Ann" }
    expectEqual(shown.results(in: club.configuration).map(\.title), ["Ann"])
    try club.write { club.member.name = "Anna" }
    try await draws.wait(for: 2)
    expectEqual(shown.results(in: club.configuration).map(\.title), [])
  }

  @Test func sectionsAreMadeOnceForEachState() async throws {
    let club = try await Club()
    let shown = ShownResults<Pet>(ShownRequest(sortDescriptors: ["name"]), isSorted: false)
    let draws = Draws(shown)
    var madeCount = 0
    func keys() -> [String] {
      shown.derived(in: club.configuration) { results in
        madeCount += 1
        return results.sectioned(sortDescriptors: shown.sortDescriptors) {
          String($0.name.prefix(1))
        }
      }.allKeys
    }
    expectEqual(keys(), ["R"])
    expectEqual(keys(), ["R"])
    expectEqual(madeCount, 1)
    try club.addPet("Bello")
    try await draws.wait(for: 1)
    expectEqual(keys(), ["B", "R"])
    expectEqual(madeCount, 2)
  }

  // MARK: Objects

  @Test func anObjectIsShownFrozenAndWritten() async throws {
    let club = try await Club()
    let shown = ShownValue(club.member)
    let draws = Draws(shown)
    expectTrue(shown.value.isFrozen)
    shown.change { $0.name = "Anna" }
    expectEqual(club.member.name, "Anna")
    try await draws.wait(for: 1)
    expectEqual(shown.value.name, "Anna")
    shown.replace(by: Member(value: ["name": "Eve"]))
    shown.change { $0.age = 3 }
    expectEqual(shown.value.age, 3)
    expectEqual(club.member.age, 0)
  }

  @Test func whatWasDeletedIsShownAsItWas() async throws {
    let club = try await Club()
    let shown = ShownValue(club.member)
    let member = club.member
    try club.write { club.realm.delete(club.member) }
    expectEqual(shown.value.name, "Ann")
    shown.change { _ in Issue.record("there is nothing to change") }
    // A view that is given it has something empty to show.
    expectEqual(ShownValue(member).value.name, "")
    expectEqual(ShownValue(Badge(projecting: member)).value.title, "")
  }

  @Test func aPropertyIsReadLiveAndWritten() async throws {
    let club = try await Club()
    let name = ShownProperty(club.member.freeze(), \.name)
    name.value = "Anna"
    expectEqual(name.value, "Anna")
    let title = ShownProperty(Badge(projecting: club.member.freeze()), \.title)
    title.value = "Eve"
    expectEqual(club.member.name, "Eve")
    var writeCount = 0
    let token = club.realm.observe { _, _ in writeCount += 1 }
    name.value = "Eve"
    expectEqual(writeCount, 0)
    name.value = "Eva"
    expectEqual(writeCount, 1)
    token.invalidate()
    try club.write { club.realm.delete(club.member) }
    name.value = "nobody"
    expectEqual(name.value, "Eva")
  }
}
#endif
