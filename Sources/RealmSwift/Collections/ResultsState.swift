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

  /// What the results are, in terms of the file.
  var definition: ObservedSource {
    switch source {
    case .table: .results(LiveQuery(table: info?.tableKey ?? .null))
    case .list(let list): .list(list.definition)
    case .backlinks(let backlinks): .backlinks(backlinks.definition)
    }
  }

  /// The results that `definition` describes, in `core`; nil if they cannot exist there.
  static func local(_ definition: ObservedSource, in core: RealmCore) -> ResultsState? {
    switch definition {
    case .results(let query):
      return core.info(ofTable: query.table).map { ResultsState(.table, core, $0) }
    case .list(let list):
      return ManagedList.local(list, in: core).map { ResultsState(.list($0), core, $0.info) }
    case .backlinks(let backlinks):
      return BacklinkSource.local(backlinks, in: core).map {
        ResultsState(.backlinks($0), core, $0.origin)
      }
    case .object: return nil
    }
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

  /// What the backlinks are, in terms of the file.
  var definition: ObservedBacklinks {
    ObservedBacklinks(
      target: target.tableKey, object: key, origin: origin.tableKey,
      link: origin.column(property.index).key)
  }

  /// The backlinks that `definition` describes, in `core`; nil if their object does not exist there.
  static func local(_ definition: ObservedBacklinks, in core: RealmCore) -> BacklinkSource? {
    guard let target = core.info(ofTable: definition.target),
      let origin = core.info(ofTable: definition.origin),
      let index = origin.columns.firstIndex(where: { $0?.key == definition.link })
    else { return nil }
    do throws(StorageError) {
      guard try target.row(of: definition.object) != nil else { return nil }
    } catch { stop(error) }
    return BacklinkSource(
      target: target, key: definition.object, origin: origin,
      property: origin.schema.properties[index])
  }

  /// The keys of the objects that link: one for each link.
  func keys() throws(StorageError) -> [ObjectKey] {
    guard let row = try target.row(of: key), let link = origin.columns[property.index],
      let column = try target.table.schema.backlinkColumn(from: origin.tableKey, link.key)
    else { return [] }
    return try row.backlinks(of: column)
  }
}
