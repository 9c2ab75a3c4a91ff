// SPDX-License-Identifier: Apache-2.0

import Foundation
import RealmSwift
import Testing

/// What a program can learn about its classes.
struct RealmSchemaTests {
  @Test func aRealmTellsItsClasses() throws {
    let realm = try TemporaryRealm([Person.self, Dog.self, Shelf.self, Spot.self]).open()
    let schema = realm.schema
    #expect(schema.objectSchema.map(\.className) == ["Dog", "Person", "Shelf", "Spot"])
    #expect(schema["Nobody"] == nil)
    let person = try #require(schema["Person"])
    #expect(
      person.properties.map(\.name) == [
        "id", "name", "age", "height", "dogs", "best", "nicknames",
      ])
    #expect(person.primaryKeyProperty?.name == "id")
    #expect(ObjectIdentifier(person.objectClass) == ObjectIdentifier(Person.self))
    #expect(!person.isEmbedded && !person.isAsymmetric)
    #expect(schema["Spot"]?.isEmbedded == true)
    #expect(schema["Dog"]?.primaryKeyProperty == nil)
    #expect(person == Person().objectSchema)
    #expect(person != schema["Dog"])
    #expect(schema == realm.freeze().schema)
    #expect(Person.sharedSchema() == person && Object.sharedSchema() == nil)
  }

  @Test func propertiesTellTheirTypes() throws {
    let person = Person().objectSchema
    let name = try #require(person["name"])
    #expect(name.type == .string && name.isIndexed && !name.isOptional && !name.isArray)
    #expect(person["height"]?.isOptional == true)
    let dogs = try #require(person["dogs"])
    #expect(dogs.type == .object && dogs.isArray && dogs.objectClassName == "Dog")
    #expect(person["best"]?.isOptional == true)
    let shelf = Shelf().objectSchema
    #expect(shelf["tags"]?.isSet == true && shelf["tags"]?.type == .string)
    #expect(shelf["scores"]?.isMap == true && shelf["scores"]?.type == .int)
    #expect(shelf["optionals"]?.isOptional == true)
    let owners = try #require(Dog().objectSchema["owners"])
    #expect(owners.type == .linkingObjects && owners.objectClassName == "Person")
    #expect(!Dog().objectSchema.properties.contains(owners))
    #expect(DynamicPlant().objectSchema["height"]?.columnName == "height_in_metres")
  }

  @Test func descriptionsNameAllAttributes() {
    let dog = Dog().objectSchema
    #expect(
      dog.description == """
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
    #expect(
      best?.contains("objectClassName = Dog;\n\tlinkOriginPropertyName = (null);\n") == true)
    let owners = Dog().objectSchema["owners"]?.description
    #expect(owners?.contains("\tlinkOriginPropertyName = dogs;\n") == true)
  }
}
