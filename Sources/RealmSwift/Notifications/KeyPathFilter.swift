// SPDX-License-Identifier: Apache-2.0

// Which changes of objects an observer wants to hear of.

import RealmStorage
import RealmTables

/// A set of key paths, as columns: the branches of a tree.
///
/// A branch without further branches asks for changes of the property itself, which for a link
/// means that another object is linked. One with branches asks for changes of linked objects as
/// well.
struct KeyPathFilter: Sendable, Hashable {
  private(set) var branches: [ColumnKey: KeyPathFilter] = [:]

  /// The filter for `keyPaths` of objects of `table`; nil, which lets everything pass, if there are
  /// none. A name that is no property ends the process.
  ///
  /// - Parameter isOfObject: Whether an object is observed, and not a collection.
  static func of(
    _ keyPaths: [String]?, table: TableKey, in core: RealmCore, isOfObject: Bool
  ) throws(StorageError) -> KeyPathFilter? {
    guard let keyPaths, !keyPaths.isEmpty else { return nil }
    var filter = KeyPathFilter()
    for keyPath in keyPaths {
      var columns: [ColumnKey] = []
      var info = core.info(ofTable: table)
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

  /// The part of this filter that begins with `column`.
  func only(_ column: ColumnKey) -> KeyPathFilter {
    var part = KeyPathFilter()
    part.branches[column] = branches[column]
    return part
  }

  /// Lets pass what `other` lets pass as well.
  mutating func formUnion(_ other: KeyPathFilter) {
    for (column, part) in other.branches {
      branches[column, default: KeyPathFilter()].formUnion(part)
    }
  }

  private mutating func insert(_ path: ArraySlice<ColumnKey>) {
    guard let first = path.first else { return }
    branches[first, default: KeyPathFilter()].insert(path.dropFirst())
  }
}

extension ClassInfo {
  /// The column in which changes of a property show, and the class that it leads to; for linking
  /// objects the column of the backlinks.
  func followed(
    _ property: ModelProperty
  ) throws(StorageError) -> (column: ColumnKey, target: ClassInfo?)? {
    if let column = columns[property.index] {
      let isLink = column.type == .link
      return (column.key, isLink ? column.targetTable.flatMap(core.info(ofTable:)) : nil)
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
