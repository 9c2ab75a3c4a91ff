// SPDX-License-Identifier: Apache-2.0

// Key paths as names of properties, where the API takes them.

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

@Suite("Coverage 14: key paths") struct KeyPathRowTests {
  @Test func everyTypeOfPropertyHasItsName() {
    func check<T: FixtureClass>(_ type: T.Type) {
      expectEqual(T.paths.map { _name(for: $0) }, ModelSchema.of(type).stored.map(\.name))
      for (_, _, path) in T.backlinks { #expect(!_name(for: path).contains(".")) }
    }
    for file in FixtureFile.all + [MatrixFile.fixture] {
      for type in file.classes { check(type) }
      for type in file.parts { check(type) }
    }
    expectEqual(_name(for: \DynamicPlant.level), "level")
  }

  @Test func pathsGoThroughLinksAndCollections() {
    expectEqual(_name(for: \Person.best?.name), "best.name")
    expectEqual(_name(for: \Person.best?.owners[0].name), "best.owners.name")
    expectEqual(_name(for: \Person.dogs[0].name), "dogs.name")
    expectEqual(_name(for: \Person.dogs[3].owners[1].best?.age), "dogs.owners.best.age")
    expectEqual(_name(for: \Person.dogs.projectTo.name), "dogs.name")
    expectEqual(_name(for: \Person.dogs.first?.name), "dogs.name")
    expectEqual(_name(for: \Dog.owners.first?.age), "owners.age")
    expectEqual(_name(for: \Dog.owners), "owners")
    expectEqual(_name(for: \DynamicPlant.pot?.colour), "pot.colour")
    expectEqual(_name(for: \DynamicPlant.neighbours[0].pot?.colour), "neighbours.pot.colour")
    // Names are those of the class, not of the column.
    expectEqual(_name(for: \DynamicPlant.height), "height")
  }

  @Test func whereNamesAreTakenKeyPathsAre() throws {
    let realm = try TemporaryRealm([DynamicPlant.self, DynamicPot.self]).open()
    try realm.write {
      for id in 0..<4 {
        realm.create(
          DynamicPlant.self,
          value: [
            "id": id, "name": "n\(id % 2)", "height": Double(3 - id), "pot": ["colour": "c\(id)"],
            "level": DynamicLevel.high,
          ] as [String: Any])
      }
    }
    let plants = realm.objects(DynamicPlant.self)
    expectEqual(plants.sorted(by: \.height).map(\.id), [3, 2, 1, 0])
    expectEqual(plants.sorted(by: \.pot?.colour, ascending: false).first?.id, 3)
    let orders = [
      RealmSwift.SortDescriptor(keyPath: \DynamicPlant.name, ascending: false),
      RealmSwift.SortDescriptor(keyPath: \DynamicPlant.height),
    ]
    expectEqual(orders.map(\.keyPath), ["name", "height"])
    expectEqual(plants.sorted(by: orders).map(\.id), [3, 1, 2, 0])
    expectEqual(plants.distinct(by: [\DynamicPlant.name]).count, 2)
    expectEqual(plants.sum(of: \.height), 6)
    expectEqual(plants.max(of: \.height), 3)
    expectEqual(plants.average(of: \.height), 1.5)
    expectEqual(plants.min(of: \.id), 0)
    expectEqual(plants.where { $0.pot.colour == "c2" }.count, 1)
    expectEqual(plants.sectioned(by: \.name).allKeys, ["n0", "n1"])
  }
}

extension ModelSchema {
  fileprivate var stored: [ModelProperty] {
    properties.filter { $0.shape.type != .linkingObjects }
  }
}
