// SPDX-License-Identifier: Apache-2.0

// Iterating over collections.
//
// Invariants:
// 1. In a write transaction an iterator goes over a copy of the keys, so the loop may change or
//    delete what it visits. Outside, a table is walked cluster by cluster in the version that the
//    loop began with: if the realm advances meanwhile, objects are found by key from then on.

import RealmStorage
import RealmTables

/// Iterates over the elements of a collection.
public struct RLMIterator<Element: RealmCollectionValue>: IteratorProtocol {
  private enum Source {
    case unmanaged([Element])
    case contents(_CollectionContents)
    case clusters(TableWalk)
  }

  private let source: Source
  private var position = 0

  init(_ elements: [Element]) { source = .unmanaged(elements) }

  init(_ contents: _CollectionContents) {
    do throws(StorageError) {
      if contents.core.isInWrite {
        source = .contents(try contents.frozenForIteration())
      } else if case .table(let table) = contents.form, let info = contents.info {
        source = .clusters(try TableWalk(table, info))
      } else {
        source = .contents(try contents.frozenForIteration())
      }
    } catch { stop(error) }
  }

  /// The next element, or nil at the end.
  public mutating func next() -> Element? {
    switch source {
    case .clusters(let walk): return walk.next()
    case .contents(let contents):
      guard position < contents.count else { return nil }
      contents.core.checkIsolation()
      defer { position += 1 }
      return contents.element(at: position, as: Element.self)
    case .unmanaged(let elements):
      guard position < elements.count else { return nil }
      defer { position += 1 }
      return elements[position]
    }
  }
}

/// Makes accessors of all objects of a table, cluster by cluster.
final class TableWalk {
  private let info: ClassInfo
  /// Keeps the version alive that the loop began with.
  private let group: TableGroup
  private let core: RealmCore
  private let generation: UInt64
  private var cursor: ClusterCursor
  private var cluster: Cluster?
  private var index = 0
  private var count = 0

  init(_ table: Table, _ info: ClassInfo) throws(StorageError) {
    self.info = info
    core = info.core
    group = try info.core.readableGroup()
    generation = info.core.hot.pointee.generation
    cursor = table.clusterCursor()
  }

  @inline(__always)
  func next<Element>() -> Element? {
    core.checkIsolation()
    if index == count, !loadCluster() { return nil }
    guard let cluster else { return nil }
    let key = cluster.key(at: index)
    let isCurrent = core.hot.pointee.generation == generation
    let row = isCurrent ? cluster.row(at: index) : nil
    index &+= 1
    return info.makeElement(key, row)
  }

  @inline(never)
  private func loadCluster() -> Bool {
    do throws(StorageError) {
      cluster = try cursor.next()
    } catch { stop(error) }
    index = 0
    count = cluster?.count ?? 0
    return count > 0
  }
}
