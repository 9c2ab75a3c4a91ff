// SPDX-License-Identifier: Apache-2.0

// Where a class is damaged, for messages of what reads many objects: a query knows that bytes are
// damaged, and not whose they are.

import RealmStorage
import RealmTables

/// The first place of a class whose bytes cannot be read.
enum DamagedPlace {
  /// A property of an object.
  case property(String, ObjectKey)
  /// An object, or one of those that follow it.
  case object(ObjectKey)
  /// None was found: the damage is in what belongs to no object, or is far behind.
  case unknown

  /// The number of values after which the search ends.
  private static let valueCountMax = 1 << 18

  init(in info: ClassInfo) {
    self = .unknown
    guard let table = try? info.table else { return }
    var cursor = table.clusterCursor()
    var last = ObjectKey(0)
    var left = Self.valueCountMax
    while left > 0 {
      do throws(StorageError) {
        guard let cluster = try cursor.next() else { return }
        if let place = Self.first(in: cluster, of: info, &left) {
          self = place
          return
        }
        if cluster.count > 0 { last = cluster.key(at: cluster.count - 1) }
      } catch {
        self = .object(last)
        return
      }
    }
  }

  private static func first(
    in cluster: Cluster, of info: ClassInfo, _ left: inout Int
  ) -> DamagedPlace? {
    for index in 0..<cluster.count {
      let row = cluster.row(at: index)
      for property in info.schema.properties {
        guard let column = info.columns[property.index] else { continue }
        left -= 1
        do throws(StorageError) { try read(column, of: row) } catch {
          return .property(property.name, cluster.key(at: index))
        }
      }
    }
    return nil
  }

  private static func read(_ column: Column, of row: Row) throws(StorageError) {
    switch column.collection {
    case .none: _ = try row.value(of: column)
    case .list, .set: _ = try row.list(column).values()
    case .dictionary: _ = try row.dictionary(column).entries(of: column)
    }
  }
}
