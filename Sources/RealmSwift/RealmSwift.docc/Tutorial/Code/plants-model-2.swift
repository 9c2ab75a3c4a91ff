import Foundation
import RealmSwift

class Plant: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var days = 7
  @Persisted var watered: Date

  /// When the plant wants water again.
  var due: Date { watered.addingTimeInterval(Double(days) * 24 * 60 * 60) }
}
