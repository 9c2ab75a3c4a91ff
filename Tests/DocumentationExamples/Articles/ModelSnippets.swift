// SPDX-License-Identifier: Apache-2.0

// The snippets of the article "Models".

import Foundation
import RealmSwift
import RealmTestSupport
import Testing

enum ModelArticle {
  // snippet: models-class
  class Person: Object {
    @Persisted(primaryKey: true) var id: UUID
    @Persisted(indexed: true) var name: String
    @Persisted var born: Date?
    @Persisted var kind = Kind.friend
    @Persisted var height: Metres
    @Persisted var address: Address?
    @Persisted var dogs: List<Dog>
    @Persisted var nicknames: MutableSet<String>
    @Persisted var scores: Map<String, Int>
    @Persisted var anything: AnyRealmValue

    var initials: String {  // Computed properties are not stored.
      String(name.split(separator: " ").compactMap(\.first))
    }
    // snippet hide
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    // snippet show
  }

  class Dog: Object {
    @Persisted var name: String
    @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
    // snippet hide
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    // snippet show
  }

  class Address: EmbeddedObject {
    @Persisted var street: String
    @Persisted var town: String
    // snippet hide
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    // snippet show
  }
  // snippet end

  // snippet: models-types
  enum Kind: String, PersistableEnum {
    case friend, colleague, family
  }

  struct Metres: CustomPersistable {
    var value: Double
    init(persistedValue: Double) { value = persistedValue }
    var persistableValue: Double { value }
  }
  // snippet end

  // snippet: models-delete-rules
  class Album: Object {
    @Persisted(primaryKey: true) var title: String
    @Persisted(onDelete: .cascade) var tracks: List<Track>
    @Persisted(onDelete: .cascadeIfOrphaned) var cover: Picture?
    @Persisted(originProperty: "album", onDelete: .deny) var loans: LinkingObjects<Loan>
    // snippet hide
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    // snippet show
  }
  // snippet end

  class Track: Object {
    @Persisted var title: String
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Picture: Object {
    @Persisted var data: Data
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Loan: Object {
    @Persisted var album: Album?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }
}

struct ModelSnippets {
  typealias Person = ModelArticle.Person
  typealias Dog = ModelArticle.Dog
  typealias Album = ModelArticle.Album

  @Test func objectsAreMadeAndChanged() throws {
    let folder = try ArticleFolder()
    let realm = try Realm(
      configuration: folder.configuration([Person.self, Dog.self, ModelArticle.Address.self]))
    // snippet: models-create
    let person = Person(value: ["name": "Ada Lovelace", "kind": "colleague"])
    person.address = ModelArticle.Address(value: ["street": "12 St James's Square"])
    person.dogs.append(Dog(value: ["name": "Rex"]))
    person.scores["chess"] = 3
    person.anything = .string("a word, a number, a date, an object, or a list of them")
    try realm.write { realm.add(person) }  // From here on a change needs a transaction.
    // snippet end
    // snippet: models-upsert
    try realm.write {
      realm.create(
        Person.self, value: ["id": person.id, "name": "Ada King"], update: .modified)
    }
    // snippet end
    #expect(person.name == "Ada King" && person.initials == "AK" && person.dogs.count == 1)
    #expect(person.dogs[0].owners.first == person)
  }

  @Test func deletionsFollowTheRules() throws {
    let folder = try ArticleFolder()
    let realm = try Realm(
      configuration: folder.configuration(
        [Album.self, ModelArticle.Track.self, ModelArticle.Picture.self, ModelArticle.Loan.self]))
    try realm.write {
      realm.create(
        Album.self,
        value: ["title": "Blue", "tracks": [["title": "Carey"]], "cover": ["data": Data([1])]])
    }
    // snippet: models-delete
    if let album = realm.object(ofType: Album.self, forPrimaryKey: "Blue"), album.loans.isEmpty {
      try realm.write { realm.delete(album) }
    }
    // snippet end
    #expect(realm.isEmpty)
  }

  // snippet: models-projection
  final class Card: Projection<Person> {
    @Projected(\Person.name) var title
    @Projected(\Person.address?.town) var town
    @Projected(\Person.dogs.projectTo.name) var dogNames: ProjectedCollection<String>
  }
  // snippet end

  @Test func projectionsShowAPart() throws {
    let folder = try ArticleFolder()
    let realm = try Realm(
      configuration: folder.configuration([Person.self, Dog.self, ModelArticle.Address.self]))
    try realm.write {
      realm.create(Person.self, value: ["name": "Ada", "dogs": [["name": "Rex"]]])
    }
    let card = try #require(realm.objects(Card.self).first)
    #expect(card.title == "Ada" && card.town == nil && Array(card.dogNames) == ["Rex"])
  }
}
