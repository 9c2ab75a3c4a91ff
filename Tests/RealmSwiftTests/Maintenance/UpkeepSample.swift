// SPDX-License-Identifier: Apache-2.0

// A realm for the tests of checks and backups.

import Foundation
import RealmStorage
import RealmSwiftTestSupport
import RealmTables
import RealmTestSupport
import Testing

@testable import RealmSession
@_spi(RealmTesting) @testable import RealmSwift

/// A file with people and dogs, and copies of it with flipped bits.
struct UpkeepSample {
  static let key = Data((0..<64).map { UInt8($0) &+ 7 })

  let file: TemporaryRealm
  let url: URL

  init(key: Data? = nil, count: Int = 500) throws {
    file = try TemporaryRealm()
    file.configuration.encryptionKey = key
    url = try #require(file.configuration.fileURL)
    let realm = try file.open()
    try realm.write {
      for id in 0..<count {
        let person = realm.create(
          Person.self, value: ["id": id, "name": "secret \(id)", "age": id % 70] as [String: Any])
        person.dogs.append(realm.create(Dog.self, value: ["name": "dog \(id)"]))
      }
    }
  }

  func url(named name: String) -> URL { file.directory.appendingPathComponent(name) }

  static func dump(_ realm: Realm) throws -> String {
    "\(try ContentDump(TableGroup(realm.core.snapshot())).json())"
  }

  /// A copy in which the lowest bit of a person's age is another one, and where its leaf is.
  func damagedCopy() throws -> (configuration: Realm.Configuration, leafOffset: Int) {
    let snapshot = try file.open().core.snapshot()
    let table = try #require(try TableGroup(snapshot).table(named: "class_Person"))
    let column = try #require(table.schema.column(named: "age"))
    var cursor = table.clusterCursor()
    let leaf = try #require(try cursor.next()).leafRef(column.leafIndex)
    var bytes = try Data(contentsOf: url)
    bytes[leaf.offset + NodeHeader.byteCount] ^= 1
    var configuration = file.configuration
    configuration.fileURL = url(named: "damaged.realm")
    try bytes.write(to: url(named: "damaged.realm"))
    return (configuration, leaf.offset)
  }
}
