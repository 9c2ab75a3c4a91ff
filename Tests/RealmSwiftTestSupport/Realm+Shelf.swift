// SPDX-License-Identifier: Apache-2.0

package import RealmSwift
import Testing

extension Realm {
  /// A new shelf with nothing on it.
  package func createShelf(id: Int = 1) -> Shelf {
    do {
      return try write { create(Shelf.self, value: ["id": id]) }
    } catch {
      Issue.record(error)
      return Shelf()
    }
  }
}
