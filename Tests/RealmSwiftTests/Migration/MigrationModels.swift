// SPDX-License-Identifier: Apache-2.0

// The same classes at several points of a program's life.

import Foundation
import RealmSwift
import RealmSwiftTestSupport

enum Age1 {
  class Reader: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var years: String
    @Persisted var nick: String
    @Persisted var score: Int?
    @Persisted var tags: List<String?>
    @Persisted var books: List<Novel>
    @Persisted var home: Place?
    @Persisted var anything: AnyRealmValue
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Novel: Object {
    @Persisted var title: String
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Place: Object {
    @Persisted var town: String
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Leftover: Object {
    @Persisted var number: Int
    @Persisted var reader: Reader?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  static let types: [ObjectBase.Type] = [Reader.self, Novel.self, Place.self, Leftover.self]
}

enum Age2 {
  class Reader: Object {
    @Persisted(primaryKey: true) var key: String
    @Persisted(indexed: true) var fullName: String?
    @Persisted var years = 7
    @Persisted var nick: String?
    @Persisted var score: Int
    @Persisted var tags: List<String>
    @Persisted var books: MutableSet<Novel>
    @Persisted var home: Place?
    @Persisted var anything: AnyRealmValue
    @Persisted var added: Date?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Novel: Object {
    @Persisted(primaryKey: true) var title: String
    @Persisted(originProperty: "books") var readers: LinkingObjects<Reader>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Place: EmbeddedObject {
    @Persisted var town: String
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Added: Object {
    @Persisted var text = "default"
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  static let types: [ObjectBase.Type] = [Reader.self, Novel.self, Place.self, Added.self]
}

extension TemporaryRealm {
  /// A closed file of the first age: three readers, two novels, a place each, and leftovers.
  static func ofFirstAge() throws -> TemporaryRealm {
    let file = try TemporaryRealm(Age1.types)
    try file.open().fillFirstAge()
    return file
  }

  func becomeSecondAge(version: UInt64 = 1, _ block: MigrationBlock? = nil) {
    configuration.objectTypes = Age2.types
    configuration.schemaVersion = version
    configuration.migrationBlock = block
  }
}

extension Realm {
  func fillFirstAge() throws {
    try write {
      let novels = ["Dune", "Emma"].map { create(Age1.Novel.self, value: ["title": $0]) }
      for id in 1...3 {
        let reader = create(
          Age1.Reader.self,
          value: [
            "id": id, "name": "reader \(id)", "years": "\(id * 10)", "nick": "n\(id)",
            "score": (id == 2 ? nil : id) as Any, "tags": ["a", nil, "b"],
            "home": ["town": "town \(id)"],
          ] as [String: Any])
        reader.books.append(objectsIn: novels)
        reader.anything = .object(novels[0])
      }
      for number in 0..<4 { create(Age1.Leftover.self, value: ["number": number]) }
    }
  }
}
