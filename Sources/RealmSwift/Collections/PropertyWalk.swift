// SPDX-License-Identifier: Apache-2.0

// Iteration over properties: one accessor for all objects, whose row is moved from one to the next.
//
// Invariants:
// 1. `object` never leaves the walk: nobody sees it represent another object than before.
// 2. `object` has a row after each call of `advance()` that was true. Outside of a write
//    transaction it lies in the version that the walk began with, which `group` keeps; within one
//    it is the present row of an object that exists.
// 3. The rows up to `end` follow the present one in its cluster, and need no further check than
//    that of the caller's thread. `end` is 0 where each object needs more.
// 4. Where `end` is not 0, `leaves` are those of that cluster, one for each property, and `index`
//    is the present row. There are as many as the walk was made with, and they live as long as it.

public import CRealmPlatform
import RealmQuery
public import RealmSession
import RealmStorage
public import RealmTables

/// A walk over the rows of a collection of objects.
@usableFromInline
@safe
final class PropertyWalk {
  @usableFromInline let object: ObjectBase
  @usableFromInline let state: UnsafeMutablePointer<SessionState>
  @usableFromInline let leaves: UnsafeMutablePointer<RowLeaf>
  @exclusivity(unchecked) @usableFromInline var index = 0
  @exclusivity(unchecked) @usableFromInline var end = 0

  private let info: ClassInfo
  private let core: RealmCore
  /// Nil in a write transaction, which may change or delete the objects that are walked.
  private let group: TableGroup?
  /// The numbers of the properties that are read.
  private let properties: [Int]
  /// Their columns.
  private let columns: [Column]
  /// Whether each read is noted, or needs the object's key.
  private let needsKeys: Bool
  /// The clusters of a table, whose objects are all walked.
  @exclusivity(unchecked) private var cursor: ClusterCursor?
  @exclusivity(unchecked) private var cluster: Cluster?
  /// The objects, if there is no cursor.
  private let keys: [ObjectKey]
  @exclusivity(unchecked) private var reader: RowReader?
  /// The next key, or the next row of the cluster.
  @exclusivity(unchecked) private var position = 0

  /// - Parameter properties: The numbers of the properties that are read.
  init(
    _ contents: _CollectionContents, _ info: ClassInfo, _ properties: [Int]
  ) throws(StorageError) {
    self.info = info
    self.properties = properties
    columns = properties.map { info.column($0) }
    assert(properties.allSatisfy(info.columns.indices.contains), "a property of another class")
    let core = unsafe info.core
    self.core = core
    unsafe state = unsafe core.state
    unsafe leaves = .allocate(capacity: properties.count)
    object = info.makeObject(.null)
    unsafe object._generation = unsafe core.state.pointee.generation
    needsKeys =
      core.isTracking || properties.contains { info.columns[$0]?.leafKind == .mixed }
    group = core.isInWrite ? nil : try core.readableTables()
    if group != nil, case .table(let table) = contents.form {
      keys = []
      unsafe cursor = table.clusterCursor()
    } else {
      keys = try contents.keys()
      if group != nil { unsafe reader = RowReader(try info.table) }
    }
  }

  deinit { unsafe leaves.deallocate() }

  /// Moves `object` to the next row; false at the end.
  @inlinable @inline(__always)
  func advance() -> Bool {
    let next = unsafe index &+ 1
    if unsafe next < end, unsafe state.pointee.isolation == realm_thread_pointer() {
      unsafe index = next
      unsafe object._row?.index = next
      return true
    }
    return advanceSlowly()
  }

  /// Where the value of a property of the present row lies, if `end` is not 0.
  ///
  /// - Parameter place: A position in the properties that the walk was made with.
  @inlinable @inline(__always)
  func leaf(_ place: Int) -> _WalkedLeaf { unsafe _WalkedLeaf(leaves[place], at: index) }

  @usableFromInline @inline(never)
  func advanceSlowly() -> Bool {
    core.checkIsolation()
    guard let row = nextRow() else { return false }
    unsafe object._row = row
    if needsKeys, core.isTracking {
      for property in properties { object.noteRead(info, property: property) }
    }
    return true
  }

  private func nextRow() -> Row? {
    do throws(StorageError) {
      return try unsafe cursor == nil ? nextByKey() : nextOfTable()
    } catch {
      info.meet(searching: error)
      return nil
    }
  }

  private func nextOfTable() throws(StorageError) -> Row? {
    if unsafe cluster == nil || position == cluster?.count {
      unsafe cluster = try unsafe cursor?.next()
      unsafe position = 0
      if let cluster = unsafe cluster {
        unsafe info.loop(over: cluster.node, at: object._generation)
      }
    }
    guard let cluster = unsafe cluster else { return nil }
    unsafe assert(position < cluster.count, "`PropertyWalk` 3: the row is one of the cluster")
    let row = unsafe cluster.row(at: position)
    if needsKeys { unsafe object._key = unsafe cluster.key(at: position) }
    // Only the state of a live realm of one thread says by itself that there is nothing to check.
    if !needsKeys, unsafe state.pointee.isolation == realm_thread_pointer(),
      try openLeaves(of: cluster)
    {
      unsafe index = unsafe position
      unsafe end = cluster.count
      unsafe position = cluster.count
    } else {
      unsafe end = 0
      unsafe position &+= 1
    }
    return row
  }

  /// Finds the leaves of all properties; false if one of them is too short.
  private func openLeaves(of cluster: Cluster) throws(StorageError) -> Bool {
    for place in columns.indices {
      let column = columns[place]
      guard let leaf = try RowLeaf(column.leafIndex, column.leafKind, in: cluster) else {
        return false
      }
      unsafe (leaves + place).initialize(to: leaf)
    }
    return true
  }

  private func nextByKey() throws(StorageError) -> Row? {
    guard unsafe position < keys.count else { return nil }
    let key = unsafe keys[position]
    unsafe position &+= 1
    unsafe object._key = key
    let row = try unsafe group == nil ? info.row(of: key) : reader?.row(of: key)
    if let row { return row }
    // A transaction may delete what is walked; a version has what its own collections lead to.
    if group == nil { object.refuseDeleted(info) }
    throw info.missing(key)
  }
}
