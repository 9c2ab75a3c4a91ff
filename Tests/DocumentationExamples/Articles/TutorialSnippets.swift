// SPDX-License-Identifier: Apache-2.0

// The last step of the tutorial, which a test compares with the tutorial's own files and runs here.

import Foundation
import RealmSwift
import RealmTestSupport
import Testing

// snippet: tutorial-model
class Plant: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var days = 7
  @Persisted var watered: Date

  /// When the plant wants water again.
  var due: Date { watered.addingTimeInterval(Double(days) * 24 * 60 * 60) }
  // snippet hide
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
  // snippet show
}
// snippet end

// snippet: tutorial-house
actor Greenhouse {
  private var realm: Realm!

  init(_ configuration: Realm.Configuration = .defaultConfiguration) async throws {
    realm = try await Realm(configuration: configuration, actor: self)
  }

  func add(_ name: String, every days: Int) async throws {
    try await realm.asyncWrite {
      realm.create(Plant.self, value: ["name": name, "days": days], update: .modified)
    }
  }

  /// Returns whether there is a plant of that name.
  func water(_ name: String, at date: Date = Date()) async throws -> Bool {
    try await realm.asyncWrite {
      let plant = realm.object(ofType: Plant.self, forPrimaryKey: name)
      plant?.watered = date
      return plant != nil
    }
  }

  func lines(at date: Date = Date()) -> [String] {
    realm.objects(Plant.self).sorted(by: \.name).map { plant in
      "\(plant.name): \(plant.due <= date ? "wants water" : "is well")"
    }
  }

  /// Shows the plants now and after each change, until the task is cancelled.
  func watch(_ show: @Sendable ([String]) -> Void) async throws {
    for await change in realm.objects(Plant.self).changes() {
      if case .error(let error) = change { throw error }
      show(lines())
    }
  }
}
// snippet end

@Suite(.timeLimit(.minutes(10))) struct TutorialSnippets {
  @Test func plantsAreWatered() async throws {
    let folder = try ArticleFolder()
    let house = try await Greenhouse(folder.configuration([Plant.self]))
    try await house.add("Fern", every: 3)
    let later = Date().addingTimeInterval(4 * 24 * 60 * 60)
    #expect(await house.lines() == ["Fern: is well"])
    #expect(await house.lines(at: later) == ["Fern: wants water"])
    #expect(try await house.water("Fern", at: later))
    #expect(await house.lines(at: later) == ["Fern: is well"])
    #expect(try await house.water("Nobody") == false)

    let (shown, sender) = AsyncStream.makeStream(of: [String].self)
    let watching = Task { try await house.watch { sender.yield($0) } }
    try await house.add("Cactus", every: 30)
    #expect(await shown.contains { $0.count == 2 })
    watching.cancel()
  }
}
