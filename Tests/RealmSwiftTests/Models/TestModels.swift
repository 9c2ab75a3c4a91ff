// SPDX-License-Identifier: Apache-2.0

// The model classes that several suites share. They are listed in `objectTypes`, so the default
// schema leaves them out.

import Foundation
import RealmSwift

class Person: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted(indexed: true) var name: String
  @Persisted var age = 18
  @Persisted var height: Double?
  @Persisted var dogs: List<Dog>
  @Persisted var best: Dog?
  @Persisted var nicknames: List<String>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Dog: Object {
  @Persisted var name: String
  @Persisted var age: Int
  @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class AllTypes: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var bool: Bool
  @Persisted var int: Int
  @Persisted var int8: Int8
  @Persisted var int16: Int16
  @Persisted var int32: Int32
  @Persisted var int64: Int64
  @Persisted var float: Float
  @Persisted var double: Double
  @Persisted var string: String
  @Persisted var data: Data
  @Persisted var date: Date
  @Persisted var uuid: UUID
  @Persisted var objectId: ObjectId
  @Persisted var decimal: Decimal128
  @Persisted var optionalBool: Bool?
  @Persisted var optionalInt: Int?
  @Persisted var optionalInt8: Int8?
  @Persisted var optionalFloat: Float?
  @Persisted var optionalDouble: Double?
  @Persisted var optionalString: String?
  @Persisted var optionalData: Data?
  @Persisted var optionalDate: Date?
  @Persisted var optionalUUID: UUID?
  @Persisted var optionalObjectId: ObjectId?
  @Persisted var optionalDecimal: Decimal128?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A configuration with a file of its own, which goes with the directory.
final class TemporaryRealm: @unchecked Sendable {
  // Sendable: tests change the configuration before they share it.
  let directory: URL
  var configuration: Realm.Configuration

  init(_ types: [ObjectBase.Type] = [Person.self, Dog.self, AllTypes.self]) throws {
    directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("openrealm-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    configuration = Realm.Configuration(
      fileURL: directory.appendingPathComponent("test.realm"), objectTypes: types)
  }

  func open() throws -> Realm { try Realm(configuration: configuration) }

  deinit { try? FileManager.default.removeItem(at: directory) }
}
