// SPDX-License-Identifier: Apache-2.0

// Models of synchronised files: one with a property of every kind, and others that it links to.

#if Sync
import Foundation
import RealmSwift

enum SharedState: String, PersistableEnum { case open, busy, done }

/// A type of the program that is stored as a number.
struct Centimetres: CustomPersistable {
  var number: Int
  init(_ number: Int) { self.number = number }
  init(persistedValue: Int) { number = persistedValue }
  var persistableValue: Int { number }
}

class SharedTask: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var title: String
  @Persisted var isDone: Bool
  @Persisted var priority: Int = 3
  @Persisted(indexed: true) var small: Int16
  @Persisted var weight: Double
  @Persisted var share: Float = 0.5
  @Persisted var date: Date = Date(timeIntervalSince1970: 1_000_000)
  @Persisted var token: UUID
  @Persisted var made: ObjectId
  @Persisted var price: Decimal128 = 7
  @Persisted var bytes: Data = Data([1, 2, 3])
  @Persisted var state: SharedState = .open
  @Persisted var height: Centimetres = Centimetres(5)
  @Persisted var note: String?
  @Persisted var limit: Int?
  @Persisted var due: Date?
  @Persisted var anything: AnyRealmValue
  @Persisted var texts: List<String>
  @Persisted var numbers: List<Int?>
  @Persisted var values: List<AnyRealmValue>
  @Persisted var tags: MutableSet<String>
  @Persisted var states: MutableSet<SharedState>
  @Persisted var counts: Map<String, Int>
  @Persisted var settings: Map<String, AnyRealmValue>
  @Persisted var parent: SharedTask?
  @Persisted var following: List<SharedTask>
  @Persisted var related: MutableSet<SharedTask>
  @Persisted var named: Map<String, SharedTask?>
  @Persisted var remark: SharedRemark?
  @Persisted var place: SharedPlace?
  @Persisted var steps: List<SharedPlace>
  @Persisted var places: Map<String, SharedPlace?>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Without a primary key.
class SharedRemark: Object {
  @Persisted var text: String
  @Persisted var about: SharedTask?
  @Persisted(originProperty: "remark") var tasks: LinkingObjects<SharedTask>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class SharedPlace: EmbeddedObject {
  @Persisted var street: String
  @Persisted var number = 1
  @Persisted var inner: SharedCorner?
  @Persisted var rooms: List<String>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class SharedCorner: EmbeddedObject {
  @Persisted var street: String
  @Persisted var rooms: List<String>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
#endif
