// SPDX-License-Identifier: Apache-2.0

// What results are of, and what they hold at the moment.
//
// Invariants:
// 1. `contents()` is evaluated when asked for and remembered until the data changes; nothing is
//    computed for results that nobody looks at.

import RealmQuery
import RealmStorage
import RealmTables

/// The definition of results and their present contents; shared by the copies of a `Results`.
final class ResultsState {
  enum Source {
    /// All objects of a class.
    case table
    /// The elements of a list.
    case list(ManagedList)
    /// The objects that link to one object through one property.
    case backlinks(BacklinkSource)
  }

  let core: RealmCore
  /// The class of the elements; nil if they are scalars.
  let info: ClassInfo?
  let source: Source
  private let birth: UInt64
  private var cached: _CollectionContents?
  private var cachedGeneration: UInt64 = 0

  init(_ source: Source, _ core: RealmCore, _ info: ClassInfo?) {
    self.source = source
    self.core = core
    self.info = info
    birth = core.hot.pointee.generation
  }

  /// Whether the realm was invalidated since the results were made.
  var isInvalidated: Bool { birth < core.firstValidGeneration }

  /// The elements as they are now.
  func contents() -> _CollectionContents {
    core.checkIsolation()
    if let cached, cachedGeneration == core.dataGeneration { return cached }
    do throws(StorageError) {
      let contents = try isInvalidated ? _CollectionContents(.keys([]), core, info) : evaluate()
      cached = contents
      cachedGeneration = core.dataGeneration
      return contents
    } catch { stop(error) }
  }

  private func evaluate() throws(StorageError) -> _CollectionContents {
    switch source {
    case .table:
      guard let info else { return try _CollectionContents(.keys([]), core, nil) }
      return try _CollectionContents(.table(info.table), core, info)
    case .list(let list): return list.contents()
    case .backlinks(let backlinks):
      return try _CollectionContents(.keys(backlinks.keys()), core, info)
    }
  }
}

/// The objects whose property leads to one object.
struct BacklinkSource {
  let target: ClassInfo
  let key: ObjectKey
  let origin: ClassInfo
  /// The property of `origin` that links.
  let property: ModelProperty

  /// The keys of the objects that link: one for each link.
  func keys() throws(StorageError) -> [ObjectKey] {
    guard let row = try target.row(of: key), let link = origin.columns[property.index],
      let column = try target.table.schema.backlinkColumn(from: origin.tableKey, link.key)
    else { return [] }
    return try row.backlinks(of: column)
  }
}
