// SPDX-License-Identifier: Apache-2.0

// Translates the key paths of observers from names of properties to columns.

import RealmSession
import RealmStorage
import RealmTables

extension KeyPathFilter {
  /// The filter for `keyPaths` of objects of `table`; nil, which lets everything pass, if there are
  /// none. Traps for a name that is no property.
  ///
  /// - Parameter isOfObject: Whether an object is observed, and not a collection.
  static func of(
    _ keyPaths: [String]?, table: TableKey, in core: RealmCore, isOfObject: Bool
  ) throws(StorageError) -> KeyPathFilter? {
    guard let keyPaths, !keyPaths.isEmpty else { return nil }
    var filter = KeyPathFilter()
    for keyPath in keyPaths {
      var columns: [ColumnKey] = []
      var info = core.classes[table]
      var className = ""
      for name in keyPath.split(separator: ".", omittingEmptySubsequences: false) {
        className = info?.schema.className ?? className
        guard let owner = info, let property = owner.schema.property(named: String(name)),
          let (column, target) = try owner.followed(property)
        else {
          throwRealmException(
            isOfObject
              ? "property '\(name)' not found in object of type '\(className)'"
              : "Property '\(name)' in KeyPath '\(keyPath)' is not a valid property in "
                + "\(className)."
          )
        }
        columns.append(column)
        info = target
      }
      filter.insert(columns[...])
    }
    return filter
  }
}

extension ClassInfo {
  /// The column in which changes of a property appear, and the class that it leads to; for linking
  /// objects the column of the backlinks.
  func followed(
    _ property: ModelProperty
  ) throws(StorageError) -> (column: ColumnKey, target: ClassInfo?)? {
    if let column = columns[property.index] {
      let isLink = column.type == .link
      return (column.key, isLink ? column.targetTable.flatMap({ unsafe core.classes[$0] }) : nil)
    }
    guard let name = property.originProperty, let origin = originClass(of: property) else {
      return nil
    }
    guard let link = origin.schema.property(named: name), let column = origin.columns[link.index],
      let backlinks = try table.schema.backlinkColumn(from: origin.tableKey, column.key)
    else { return nil }
    return (backlinks.key, origin)
  }
}
