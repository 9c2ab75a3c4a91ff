// SPDX-License-Identifier: Apache-2.0

// Reading tables with damaged parts.

import RealmStorage
import RealmTables

/// The readable classes of a damaged version, with their objects.
struct DamagedTables {
  /// A tree of objects of a class, or a part of one, found apart from it.
  struct Part {
    let root: Ref
    /// The key of its first object, if known.
    let base: UInt64
    /// Whether it may have older states of other objects.
    let isFiller: Bool
  }

  /// A class.
  struct Class {
    let schema: TableSchema
    let table: Table
    let parts: [Part]
    /// Whether the objects have the keys named by links to them.
    let hasCertainKeys: Bool
    /// Whether the file says how many objects there are.
    let hasCount: Bool
  }

  private let snapshot: Snapshot
  private(set) var classes: [Class] = []
  private(set) var problems: [String] = []
  /// The places of tables whose description cannot be read.
  private(set) var unreadable: Set<Int> = []

  /// - Parameter found: Tables put together, and parts of others.
  init(_ snapshot: Snapshot, found: [FoundTable] = []) throws(StorageError) {
    self.snapshot = snapshot
    problems = found.compactMap(\.problem)
    let list = try TableList(snapshot.roots, in: snapshot.space)
    for index in 0..<list.count {
      do throws(StorageError) {
        guard let top = try list.top(at: index) else { continue }
        let name = try list.name(at: index)
        let schema = try SchemaDecoder(top, name: name, in: snapshot.space).decode()
        guard schema.className != nil else { continue }
        let table = Table(top, schema: schema, in: snapshot.space)
        let found = found.first { $0.slot == index }
        let isOwn = found?.description ?? .own == .own
        let own = [Part(root: table.clusterRoot, base: 0, isFiller: false)]
        classes.append(
          Class(
            schema: schema, table: table, parts: (isOwn ? own : []) + (found?.parts ?? []),
            hasCertainKeys: found?.hasCertainKeys ?? true, hasCount: isOwn))
      } catch {
        unreadable.insert(index)
        problems.append("a class (number \(index)): \(error)")
      }
    }
  }

  /// The version of the schema; nil if there is none, or it cannot be read.
  var schemaVersion: UInt64? { try? TableGroup(snapshot).schemaVersion() }

  /// Calls `body` with each object of a class that can be found, and with the number of the part
  /// that it is in.
  ///
  /// - Parameter failed: Called with each unreadable part.
  func forEachObject(
    of type: Class, failed: (StorageError) -> Void,
    _ body: (_ key: ObjectKey, _ row: Row, _ part: Int) throws -> Void
  ) throws {
    var visited: Set<Ref> = []
    for (number, part) in type.parts.enumerated() {
      // The nodes that are still to be visited, the next one last.
      var rest = [Place(ref: part.root, offset: part.base, depth: nil)]
      while let place = rest.popLast() {
        // In a damaged tree, nodes may be their own descendants.
        guard visited.insert(place.ref).inserted else { continue }
        let found: Cluster?
        do throws(StorageError) { found = try contents(place, type, &rest, failed) } catch {
          if !part.isFiller { failed(error) }
          continue
        }
        guard let cluster = found else { continue }
        for index in 0..<cluster.count {
          try body(cluster.key(at: index), cluster.row(at: index), number)
        }
      }
    }
  }

  /// A node of a tree of objects.
  private struct Place {
    let ref: Ref
    let offset: UInt64
    /// The levels below it, as its parent knows them; nil for the root.
    let depth: Int?
  }

  /// The cluster at a place; the children of an inner node are added to `rest`.
  private func contents(
    _ place: Place, _ type: Class, _ rest: inout [Place], _ failed: (StorageError) -> Void
  ) throws(StorageError) -> Cluster? {
    let space = snapshot.space
    let node = try space.node(at: place.ref)
    guard node.header.isInner else {
      // What is no cluster of the class would give objects that never were.
      guard place.depth ?? 0 == 0, node.count > type.schema.columnsByLeafIndex.count else {
        throw .corrupted("the node at \(place.ref.offset) is no cluster")
      }
      return try Cluster(
        node, offset: place.offset, enumerations: type.table.enumerations, in: space)
    }
    let inner = try InnerCluster(node, in: space)
    guard place.depth ?? inner.depth == inner.depth, inner.childCount <= ClusterLimits.fanOut
    else { throw .corrupted("the node at \(place.ref.offset) is no inner node of the tree") }
    for child in (0..<inner.childCount).reversed() {
      do throws(StorageError) {
        let offset = place.offset &+ inner.offset(of: child)
        rest.append(
          Place(ref: try inner.ref(of: child), offset: offset, depth: inner.depth - 1))
      } catch { failed(error) }
    }
    return nil
  }
}
