// SPDX-License-Identifier: Apache-2.0

// A small realm with every kind of property, for the tests of the tools.

#if Tools
import Foundation
import RealmStorage
import RealmTables
import RealmTestSupport
import RealmTools

/// People, their dogs and addresses, in a directory of their own.
struct SampleRealm {
  let directory: TemporaryDirectory
  let path: String

  /// - Parameter dogCount: How many dogs there are besides Rex and Fido.
  init(dogCount: Int = 0, key: EncryptionKey? = nil) throws {
    directory = try TemporaryDirectory()
    path = directory.file("sample.realm")
    let writer = try RealmWriter(path: path, key: key, creates: true)
    _ = try writer.write { try Self.fill($0, dogCount) }
  }

  private static func fill(_ group: WriteGroup, _ dogCount: Int) throws {
    let addresses = try group.createTable(named: "class_Address", kind: .embedded)
    try addresses.addColumn(named: "city", type: .string)
    let persons = try group.createTable(named: "class_Person")
    let id = try persons.addColumn(named: "id", type: .int)
    let name = try persons.addColumn(named: "name", type: .string, isIndexed: true)
    let born = try persons.addColumn(named: "born", type: .timestamp, isNullable: true)
    let home = try persons.addColumn(named: "home", type: .link, target: addresses.key)
    let any = try persons.addColumn(named: "any", type: .mixed)
    try persons.setPrimaryKey(id.key)
    let dogs = try group.createTable(named: "class_Dog")
    let dogName = try dogs.addColumn(named: "name", type: .string)
    let age = try dogs.addColumn(named: "age", type: .int, isNullable: true)
    let weight = try dogs.addColumn(named: "weight", type: .double)
    let owner = try dogs.addColumn(named: "owner", type: .link, target: persons.key)
    let tags = try dogs.addColumn(named: "tags", type: .string, collection: .list)
    let friends = try dogs.addColumn(
      named: "friends", type: .link, collection: .list, target: dogs.key)
    let scores = try dogs.addColumn(named: "scores", type: .int, collection: .dictionary)
    try group.setSchemaVersion(3)

    let ann = try persons.createObject(primaryKey: .int(7)).key
    try persons.set(.string("Ann, \"the\" boss"), name, ann)
    try persons.set(.timestamp(Timestamp(seconds: 86_400, nanoseconds: 250_000_000)), born, ann)
    let (address, _) = try persons.createEmbedded(home, of: ann)
    if let city = try addresses.table.schema.column(named: "city") {
      try addresses.set(.string("Oslo"), city, address)
    }
    try persons.set(.uuid(Bytes16(high: 1, low: 2)), any, ann)
    let bob = try persons.createObject(primaryKey: .int(8)).key
    try persons.set(.string("Bob"), name, bob)
    try persons.set(.typedLink(persons.key, ann), any, bob)

    let rex = try dogs.createObject().key
    try dogs.set(.string("Rex"), dogName, rex)
    try dogs.set(.int(5), age, rex)
    try dogs.set(.double(31.5), weight, rex)
    try dogs.set(.link(ann), owner, rex)
    try dogs.set(.list([.string("big"), .string("line\nbreak")]), tags, rex)
    let fido = try dogs.createObject().key
    try dogs.set(.string("Fido"), dogName, fido)
    try dogs.set(.list([.link(rex), .link(fido)]), friends, fido)
    try dogs.dictionary(scores, fido).set(.int(2), for: "run")
    for number in 0..<dogCount {
      let dog = try dogs.createObject().key
      try dogs.set(.string("Dog \(number)"), dogName, dog)
      try dogs.set(.int(Int64(number % 20)), age, dog)
      try dogs.set(.double(Double(number) / 4), weight, dog)
    }
  }

  /// The bytes of the file and the names beside it.
  func state() throws -> (Data, [String]) {
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
    return (try Data(contentsOf: URL(fileURLWithPath: path)), names)
  }

  /// Removes the lock file that writing left.
  func removeLockFile() throws { try FileManager.default.removeItem(atPath: path + ".lock") }
}
#endif
