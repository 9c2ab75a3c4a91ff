import Foundation
import RealmSwift

class Plant: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var days = 7
  @Persisted var watered: Date
}
