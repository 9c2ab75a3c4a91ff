// SPDX-License-Identifier: Apache-2.0

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
    #expect(_name(for: \Cat.id) == "id")
    #expect(_name(for: \Cat.name) == "name")
    #expect(_name(for: \Cat.isHungry) == "isHungry")
    #expect(_name(for: \Cat.isAsleep) == "isAsleep")
    #expect(_name(for: \Cat.weight) == "weight")
  }

  /// `ModelSchema` 1.
  @Test func schemaListsSuperclassFirst() {
    let schema = ModelSchema.of(Cat.self)
    #expect(schema.className == "Cat")
    #expect(schema.properties.map(\.name) == ["id", "name", "isHungry", "isAsleep", "weight"])
    #expect(schema.primaryKey?.name == "id")
    #expect(schema.property(named: "name")?.isIndexed == true)
    #expect(schema.property(named: "weight")?.shape.isOptional == true)
  }

  @Test func unmanagedObjectsKeepTheirValues() {
    let cat = Cat()
    #expect(cat.name == "nobody")
    #expect(cat.weight == nil)
    cat.name = "Tom"
    cat.weight = 4
    cat.id += 3
    #expect(cat.name == "Tom")
    #expect(cat.weight == 4)
    #expect(cat.id == 3)
  }
}
