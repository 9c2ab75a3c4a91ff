// SPDX-License-Identifier: Apache-2.0

// Iteration over objects: an accessor of each in turn, with its row already found.
//
// Invariants:
// 1. An accessor that was given out represents another object only after everybody has let go of
//    it: there is no reference to it but the walk's own, neither strong nor weak nor unowned.
// 2. Its class has no stored properties but those of the database, so that an accessor which is
//    used again cannot be told from a new one.
// 3. The row of an accessor that may be used again is the one that the walk gave it, as long as the
//    realm shows the version that the loop began with.

import RealmQuery
import RealmSession
import RealmStorage
import RealmTables

/// An iterator over objects; its subclasses walk tables and lists of keys.
@usableFromInline
@safe
class ObjectWalk {
  fileprivate let info: ClassInfo
  fileprivate let core: RealmCore
  /// Keeps the version alive that the loop began with.
  private let group: TableGroup
  fileprivate let generation: UInt64
  /// The accessor that was given out last; nil if its class forbids to use it again.
  @exclusivity(unchecked) private var last: ObjectBase?
  /// The same; unmanaged, so that a look at it costs no reference counting.
  @exclusivity(unchecked) private var lastReference: Unmanaged<ObjectBase>?
  private let mayReuse: Bool

  /// The walk over the elements of a collection; nil if they have to be read one by one.
  static func over(_ contents: _CollectionContents) throws(StorageError) -> ObjectWalk? {
    guard !contents.core.isInWrite, let info = contents.info else { return nil }
    return switch contents.form {
    case .table(let table): try TableWalk(table, info)
    case .keys(let keys): try KeyWalk(keys, info)
    case .chunkedKeys, .values, .list: nil
    }
  }

  fileprivate init(_ info: ClassInfo) throws(StorageError) {
    self.info = info
    core = unsafe info.core
    assert(!core.isInWrite, "`RLMIterator` 1: a transaction may change what is walked")
    group = try unsafe info.core.readableTables()
    generation = unsafe info.core.state.pointee.generation
    mayReuse = info.schema.holdsNothingElse
  }

  /// The last accessor that the loop got, if there is no other reference to it (`ObjectWalk` 1).
  @inline(__always)
  fileprivate final var reusable: Unmanaged<ObjectBase>? {
    // While `last` is set, it keeps alive what the reference is to.
    guard unsafe isKnownUniquelyReferenced(&last), let reference = unsafe lastReference,
      unsafe reference._withUnsafeGuaranteedRef({
        _getWeakRetainCount($0) == 1 && _getUnownedRetainCount($0) == 1
      })
    else { return nil }
    return unsafe reference
  }

  /// A new accessor, which may be used again.
  ///
  /// - Parameter row: Its row in the version that the loop began with, which the realm still shows.
  @inline(never)
  fileprivate final func newAccessor(of key: ObjectKey, _ row: Row) -> ObjectBase {
    let object = info.makeObject(key, row)
    if mayReuse {
      unsafe last = object
      unsafe lastReference = Unmanaged.passUnretained(object)
    }
    return object
  }

  /// Whether the realm still shows the version that the loop began with.
  @inline(__always)
  fileprivate var isCurrent: Bool { unsafe core.state.pointee.generation == generation }

  @usableFromInline
  func next() -> ObjectBase? { nil }
}

/// Makes accessors of all objects of a table, cluster by cluster.
private final class TableWalk: ObjectWalk {
  @exclusivity(unchecked) private var cursor: ClusterCursor
  @exclusivity(unchecked) private var cluster: Cluster?
  @exclusivity(unchecked) private var index = 0
  @exclusivity(unchecked) private var count = 0
  /// Whether the row of the accessor that was given out last lies in the cluster.
  @exclusivity(unchecked) private var isInCluster = false

  init(_ table: Table, _ info: ClassInfo) throws(StorageError) {
    unsafe cursor = table.clusterCursor()
    try super.init(info)
  }

  override func next() -> ObjectBase? {
    core.checkIsolation()
    if unsafe index == count, !loadCluster() { return nil }
    guard let cluster = unsafe cluster else { return nil }
    let position = unsafe index
    unsafe index = position &+ 1
    let key = cluster.key(at: position)
    guard isCurrent else { return info.makeObject(key, nil) }
    if let reference = unsafe reusable {
      let object = unsafe reference.takeUnretainedValue()
      unsafe object._key = key
      if unsafe isInCluster {
        unsafe object._row?.index = position
      } else {
        unsafe object._row = cluster.row(at: position)
        unsafe isInCluster = true
      }
      return object
    }
    unsafe isInCluster = true
    return newAccessor(of: key, cluster.row(at: position))
  }

  @inline(never)
  private func loadCluster() -> Bool {
    do throws(StorageError) { unsafe cluster = try cursor.next() } catch {
      info.meet(searching: error)
      unsafe cluster = nil
    }
    if let cluster = unsafe cluster, isCurrent { info.loop(over: cluster.node, at: generation) }
    unsafe isInCluster = false
    unsafe index = 0
    unsafe count = unsafe cluster?.count ?? 0
    return unsafe count > 0
  }
}

/// Makes accessors of objects by their keys; neighbors in the table are found without a descent.
private final class KeyWalk: ObjectWalk {
  private let keys: [ObjectKey]
  @exclusivity(unchecked) private var reader: RowReader
  @exclusivity(unchecked) private var position = 0
  /// The cluster of the object before, and whether a loop has come to it.
  @exclusivity(unchecked) private var lastCluster: UInt = 0
  @exclusivity(unchecked) private var isLoop = false

  init(_ keys: [ObjectKey], _ info: ClassInfo) throws(StorageError) {
    self.keys = keys
    unsafe reader = RowReader(try info.table)
    try super.init(info)
  }

  override func next() -> ObjectBase? {
    guard unsafe position < keys.count else { return nil }
    core.checkIsolation()
    let key = unsafe keys[position]
    unsafe position &+= 1
    guard isCurrent, let row = row(of: key) else { return lostObject(key) }
    note(row.cluster)
    guard let reference = unsafe reusable else { return newAccessor(of: key, row) }
    let object = unsafe reference.takeUnretainedValue()
    unsafe object._key = key
    unsafe object._row = row
    return object
  }

  /// Two objects of one cluster are the beginning of a loop over it.
  @inline(__always)
  private func note(_ cluster: Node) {
    let address = unsafe UInt(bitPattern: cluster.address)
    let isSame = unsafe address == lastCluster
    if isSame, unsafe !isLoop { info.loop(over: cluster, at: generation) }
    unsafe isLoop = isSame
    unsafe lastCluster = address
  }

  /// The number of objects by which memory is prefetched ahead.
  private static let distance = 2

  @inline(__always)
  private func row(of key: ObjectKey) -> Row? {
    let upcoming = unsafe position &+ Self.distance
    if upcoming < keys.count {
      unsafe core.reading(try reader.prefetch(keys[upcoming]), else: ())
    }
    do throws(StorageError) { return unsafe try reader.row(of: key) } catch {
      info.meet(error, of: key)
      return nil
    }
  }

  /// An object whose row the walk does not know: the realm has advanced, or damage is to blame.
  @inline(never)
  private func lostObject(_ key: ObjectKey) -> ObjectBase {
    let object = info.makeObject(key, nil)
    if isCurrent, core.checksLinks, info.lacks(object) { info.meetMissing(key) }
    return object
  }
}
