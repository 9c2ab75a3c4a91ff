// SPDX-License-Identifier: Apache-2.0

// The model classes that several suites share. They are listed in `objectTypes`, so the default
// schema leaves them out.

package import Foundation
package import RealmSwift

package class Person: Object {
  @Persisted(primaryKey: true) package var id: Int
  @Persisted(indexed: true) package var name: String
  @Persisted package var age = 18
  @Persisted package var height: Double?
  @Persisted package var dogs: List<Dog>
  @Persisted package var best: Dog?
  @Persisted package var nicknames: List<String>

  package override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

package class Dog: Object {
  @Persisted package var name: String
  @Persisted package var age: Int
  @Persisted(originProperty: "dogs") package var owners: LinkingObjects<Person>

  package override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

package class AllTypes: Object {
  @Persisted(primaryKey: true) package var _id: ObjectId
  @Persisted package var bool: Bool
  @Persisted package var int: Int
  @Persisted package var int8: Int8
  @Persisted package var int16: Int16
  @Persisted package var int32: Int32
  @Persisted package var int64: Int64
  @Persisted package var float: Float
  @Persisted package var double: Double
  @Persisted package var string: String
  @Persisted package var data: Data
  @Persisted package var date: Date
  @Persisted package var uuid: UUID
  @Persisted package var objectId: ObjectId
  @Persisted package var decimal: Decimal128
  @Persisted package var optionalBool: Bool?
  @Persisted package var optionalInt: Int?
  @Persisted package var optionalInt8: Int8?
  @Persisted package var optionalFloat: Float?
  @Persisted package var optionalDouble: Double?
  @Persisted package var optionalString: String?
  @Persisted package var optionalData: Data?
  @Persisted package var optionalDate: Date?
  @Persisted package var optionalUUID: UUID?
  @Persisted package var optionalObjectId: ObjectId?
  @Persisted package var optionalDecimal: Decimal128?

  package override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A configuration with a file of its own, which goes with the directory.
package final class TemporaryRealm: @unchecked Sendable {
  // Sendable: tests change the configuration before they share it.
  package let directory: URL
  package var configuration: Realm.Configuration

  package init(_ types: [ObjectBase.Type] = [Person.self, Dog.self, AllTypes.self]) throws {
    QuietLog.begin
    directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("openrealm-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    configuration = Realm.Configuration(
      fileURL: directory.appendingPathComponent("test.realm"), objectTypes: types)
  }

  package func open() throws -> Realm { try Realm(configuration: configuration) }

  deinit { try? FileManager.default.removeItem(at: directory) }
}
