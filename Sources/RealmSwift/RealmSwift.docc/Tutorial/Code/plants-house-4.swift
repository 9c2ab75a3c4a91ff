import Foundation
import RealmSwift

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
}
