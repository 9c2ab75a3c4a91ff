// SPDX-License-Identifier: Apache-2.0

import Foundation
import RealmSwift
import RealmSwiftTestSupport
import TestExtensions
import Testing

/// What a program can learn about its classes.
struct RealmSchemaTests {
  @Test func aRealmTellsItsClasses() throws {
    let realm = try TemporaryRealm([Person.self, Dog.self, Shelf.self, Spot.self]).open()
    let schema = realm.schema
    expectEqual(schema.objectSchema.map(\.className), ["Dog", "Person", "Shelf", "Spot"])
    expectEqual(schema["Nobody"], nil)
    let person = try #require(schema["Person"])
    expectEqual(
      person.properties.map(\.name),
      [
        "id", "name", "age", "height", "dogs", "best", "nicknames",
      ])
    expectEqual(person.primaryKeyProperty?.name, "id")
    expectEqual(ObjectIdentifier(person.objectClass), ObjectIdentifier(Person.self))
    expectFalse(person.isEmbedded)
    expectFalse(person.isAsymmetric)
    expectEqual(schema["Spot"]?.isEmbedded, true)
    expectEqual(schema["Dog"]?.primaryKeyProperty, nil)
    expectTrue(person == Person().objectSchema)
    expectTrue(person != schema["Dog"])
    expectTrue(schema == realm.freeze().schema)
    expectEqual(Person.sharedSchema(), person)
    expectTrue(Object.sharedSchema() == nil)
  }

  @Test func propertiesTellTheirTypes() throws {
    let person = Person().objectSchema
    let name = try #require(person["name"])
    expectEqual(name.type, .string)
    expectTrue(name.isIndexed)
    expectFalse(name.isOptional)
    expectFalse(name.isArray)
    expectEqual(person["height"]?.isOptional, true)
    let dogs = try #require(person["dogs"])
    expectEqual(dogs.type, .object)
    expectTrue(dogs.isArray)
    expectEqual(dogs.objectClassName, "Dog")
    expectEqual(person["best"]?.isOptional, true)
    let shelf = Shelf().objectSchema
    expectEqual(shelf["tags"]?.isSet, true)
    expectEqual(shelf["tags"]?.type, .string)
    expectEqual(shelf["scores"]?.isMap, true)
    expectEqual(shelf["scores"]?.type, .int)
    expectEqual(shelf["optionals"]?.isOptional, true)
    let owners = try #require(Dog().objectSchema["owners"])
    expectEqual(owners.type, .linkingObjects)
    expectEqual(owners.objectClassName, "Person")
    expectFalse(Dog().objectSchema.properties.contains(owners))
    expectEqual(DynamicPlant().objectSchema["height"]?.columnName, "height_in_metres")
  }

  @Test func descriptionsNameAllAttributes() {
    let dog = Dog().objectSchema
    expectEqual(
      dog.description,
      """
      Dog {
      \tname {
      \t\ttype = string;
      \t\tcolumnName = name;
      \t\tindexed = NO;
      \t\tisPrimary = NO;
      \t\tarray = NO;
      \t\tset = NO;
      \t\tdictionary = NO;
      \t\toptional = NO;
      \t}
      \tage {
      \t\ttype = int;
      \t\tcolumnName = age;
      \t\tindexed = NO;
      \t\tisPrimary = NO;
      \t\tarray = NO;
      \t\tset = NO;
      \t\tdictionary = NO;
      \t\toptional = NO;
      \t}
      }
      """)
    #expect(Spot().objectSchema.description.hasPrefix("Spot (embedded) {\n"))
    let best = try? #require(Person().objectSchema["best"]?.description)
    expectEqual(
      best?.contains("objectClassName = Dog;\n\tlinkOriginPropertyName = (null);\n"), true)
    let owners = Dog().objectSchema["owners"]?.description
    expectEqual(owners?.contains("\tlinkOriginPropertyName = dogs;\n"), true)
  }
}
