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

/// Asks for the name of a key path whenever an instance is made.
private final class Curious: Object {
  @Persisted var number: Int

  required init() {
    super.init()
    asked = KnownKeyPaths.entry(of: \Animal.name, from: Animal.self).name
  }

  var asked = ""
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

  /// `KnownKeyPaths` 2.
  @Test func codeThatAsksForNamesRunsWhileNamesAreFound() {
    KnownKeyPaths.forgetAll()
    expectEqual(KnownKeyPaths.entry(of: \Curious.number, from: Curious.self).name, "number")
    expectEqual(Curious().asked, "name")
  }

  /// `ModelSchema` 2, `Persisted` 1.
  @Test func eachWrapperHasASlotOfItsOwn() throws {
    let schema = ModelSchema.of(Cat.self)
    let offsets = schema.properties.map(\.offset)
    #expect(offsets.allSatisfy { $0 % 8 == 0 && $0 / 8 < schema.slotCount })
    expectEqual(Set(offsets.map { $0 / 8 }).count, 5)
    let cat = Cat()
    cat.isAsleep = true
    cat.weight = 4
    let address = Unmanaged.passUnretained(cat).toOpaque()
    func wrapper<Value>(_ name: String, _ type: Value.Type) throws -> Persisted<Value> {
      let offset = try #require(schema.property(named: name)).offset
      // The flags come first.
      let flags = (address + offset).load(as: PersistedFlags.self)
      let wrapper = (address + offset).assumingMemoryBound(to: Persisted<Value>.self).pointee
      expectEqual(flags, wrapper.flags)
      return wrapper
    }
    try expectEqual(wrapper("isAsleep", Bool.self).value, true)
    try expectEqual(wrapper("isHungry", Bool.self).value, nil)
    try expectEqual(wrapper("name", String.self).value, "nobody")
    try #expect(wrapper("name", String.self).flags.contains(.indexed))
    try #expect(wrapper("id", Int.self).flags.contains(.primaryKey))
    try expectEqual(wrapper("weight", Double?.self).value, 4)
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
