// SPDX-License-Identifier: Apache-2.0

// `BacklinkSource`: the objects that link to one object, as a source of results.

import RealmSession
import RealmStorage
import RealmTables

/// The objects whose property leads to one object.
struct BacklinkSource {
  let target: ClassInfo
  let key: ObjectKey
  let origin: ClassInfo
  /// The property of `origin` that links.
  let property: ModelProperty

  /// The locator of the backlinks: their identity, independent of a realm.
  var definition: BacklinksLocator {
    BacklinksLocator(
      target: target.tableKey, object: key, origin: origin.tableKey,
      link: origin.column(property.index).key)
  }

  /// The backlinks that `definition` describes, in `core`; nil if their object does not exist
  /// there.
  ///
  /// - Parameter orGone: Whether the backlinks of an object that does not exist are wanted, too:
  ///   none.
  static func local(
    _ definition: BacklinksLocator, in core: RealmCore, of element: Any.Type, orGone: Bool = false
  ) -> BacklinkSource? {
    guard let target = core.info(ofTable: definition.target, for: element),
      let origin = core.info(ofTable: definition.origin, for: element),
      let index = origin.columns.firstIndex(where: { $0?.key == definition.link })
    else { return nil }
    let source = BacklinkSource(
      target: target, key: definition.object, origin: origin,
      property: origin.schema.properties[index])
    return orGone || source.isValid ? source : nil
  }

  /// Whether the object still exists.
  var isValid: Bool { target.present(key) != nil }

  /// The keys of the objects that link: one for each link.
  func keys() throws(StorageError) -> [ObjectKey] {
    guard let row = try target.row(of: key), let link = origin.columns[property.index],
      let column = try target.table.schema.backlinkColumn(from: origin.tableKey, link.key)
    else { return [] }
    return try row.backlinks(of: column)
  }
}
