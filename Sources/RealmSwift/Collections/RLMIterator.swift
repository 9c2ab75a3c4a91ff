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
  /// The walk over a whole table; unmanaged, so that asking it costs no reference counting.
  @usableFromInline let walk: Unmanaged<TableWalk>?
  /// Keeps the walk alive.
  private let walkOwner: TableWalk?
  private let contents: _CollectionContents?
  private let elements: [Element]
  private var position = 0

  init(_ elements: [Element]) {
    self.elements = elements
    contents = nil
    walk = nil
    walkOwner = nil
  }

  init(_ contents: _CollectionContents) {
    elements = []
    do throws(StorageError) {
      if !contents.core.isInWrite, case .table(let table) = contents.form,
        let info = contents.info, Element.self is ObjectBase.Type
      {
        walkOwner = try TableWalk(table, info)
        self.contents = nil
      } else {
        walkOwner = nil
        self.contents = try contents.frozenForIteration()
      }
    } catch { stop(error) }
    walk = walkOwner.map(Unmanaged.passUnretained)
  }

  /// The next element, or nil at the end.
  @inlinable
  public mutating func next() -> Element? {
    // Walks are only made for collections whose elements are objects of the class of `Element`.
    if let walk {
      return walk._withUnsafeGuaranteedRef { unsafeBitCast($0.next(), to: Element?.self) }
    }
    return nextElement()
  }

  @usableFromInline
  mutating func nextElement() -> Element? {
    if let contents {
      guard position < contents.count else { return nil }
      contents.core.checkIsolation()
      defer { position += 1 }
      return contents.element(at: position, as: Element.self)
    }
    guard position < elements.count else { return nil }
    defer { position += 1 }
    return elements[position]
  }
}

/// Makes accessors of all objects of a table, cluster by cluster.
@usableFromInline
final class TableWalk {
  private let info: ClassInfo
  /// Keeps the version alive that the loop began with.
  private let group: TableGroup
  private let core: RealmCore
  private let generation: UInt64
  @exclusivity(unchecked) private var cursor: ClusterCursor
  @exclusivity(unchecked) private var cluster: Cluster?
  @exclusivity(unchecked) private var index = 0
  @exclusivity(unchecked) private var count = 0

  init(_ table: Table, _ info: ClassInfo) throws(StorageError) {
    self.info = info
    core = info.core
    group = try info.core.readableGroup()
    generation = info.core.hot.pointee.generation
    cursor = table.clusterCursor()
  }

  @usableFromInline
  func next() -> ObjectBase? {
    core.checkIsolation()
    if index == count, !loadCluster() { return nil }
    guard let cluster else { return nil }
    let key = cluster.key(at: index)
    let isCurrent = core.hot.pointee.generation == generation
    let row = isCurrent ? cluster.row(at: index) : nil
    index &+= 1
    return info.makeObject(key, row)
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
