// SPDX-License-Identifier: Apache-2.0

// Taking an object out of everything that links to it (file format 3.8.1).

import RealmStorage

extension WritableTable {
  /// The change of a link whose target is deleted or gets another key.
  enum LinkChange {
    /// The link becomes null; in lists and sets of links, and in sets, the element is erased.
    case remove
    /// The link leads to another object of the same table.
    case redirect(to: ObjectKey)
  }

  /// Removes all links to the object `target`, which is about to be deleted, or redirects them.
  ///
  /// The object's own backlinks stay as they are: they go with it.
  func changeIncomingLinks(
    to target: ObjectKey, _ row: Row, _ change: LinkChange
  ) throws(StorageError) {
    var origins: [(backlink: Column, keys: [ObjectKey])] = []
    for backlink in unsafe schema.backlinkColumns {
      let keys = try row.backlinks(of: backlink)
      if !keys.isEmpty { origins.append((backlink, keys)) }
    }
    let link = StoredLink(table: key, key: target)
    for (backlink, keys) in origins {
      guard let table = backlink.targetTable, let opposite = backlink.oppositeColumn else {
        throw .corrupted(unsafe "a backlink column of table '\(schema.name)' has no origin")
      }
      let origin = try group.requiredTable(table)
      let column = try origin.column(opposite)
      for object in Set(keys).sorted() where try origin.row(of: object) != nil {
        let editor = IncomingLinkEditor(
          table: origin, column: column, object: object, link: link, change: change)
        try editor.run()
      }
    }
  }
}
