// SPDX-License-Identifier: Apache-2.0

import TestExtensions
import Testing

@testable import RealmSwift

private class Animal: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted(indexed: true) var name = "nobody"
  var notStored = 4
}

private final class Cat: Animal {
  @Persisted var isHungry: Bool
  @Persisted var isAsleep: Bool
  @Persisted var weight: Double?
}

struct KeyPathNameTests {
  /// `KeyPathRecorder` 1.
  @Test func namesOfPropertiesOwnAndInherited() {
    expectEqual(_name(for: \Cat.id), "id")
    expectEqual(_name(for: \Cat.name), "name")
    expectEqual(_name(for: \Cat.isHungry), "isHungry")
    expectEqual(_name(for: \Cat.isAsleep), "isAsleep")
    expectEqual(_name(for: \Cat.weight), "weight")
  }

  /// `ModelSchema` 1.
  @Test func schemaListsSuperclassFirst() {
    let schema = ModelSchema.of(Cat.self)
    expectEqual(schema.className, "Cat")
    expectEqual(schema.properties.map(\.name), ["id", "name", "isHungry", "isAsleep", "weight"])
    expectEqual(schema.primaryKey?.name, "id")
    expectEqual(schema.property(named: "name")?.isIndexed, true)
    expectEqual(schema.property(named: "weight")?.shape.isOptional, true)
  }

  @Test func unmanagedObjectsKeepTheirValues() {
    let cat = Cat()
    expectEqual(cat.name, "nobody")
    expectEqual(cat.weight, nil)
    cat.name = "Tom"
    cat.weight = 4
    cat.id += 3
    expectEqual(cat.name, "Tom")
    expectEqual(cat.weight, 4)
    expectEqual(cat.id, 3)
  }
}
