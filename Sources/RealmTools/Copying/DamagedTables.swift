// SPDX-License-Identifier: Apache-2.0

// Reading tables of which a part is damaged.

import RealmStorage
import RealmTables

/// The classes of a damaged version that can still be read, with their objects.
struct DamagedTables {
  /// A class.
  struct Class {
    let schema: TableSchema
    let table: Table
  }

  private let snapshot: Snapshot
  private(set) var classes: [Class] = []
  private(set) var problems: [String] = []

  init(_ snapshot: Snapshot) throws(StorageError) {
    self.snapshot = snapshot
    let list = try TableList(snapshot.roots, in: snapshot.space)
    for index in 0..<list.count {
      do throws(StorageError) {
        guard let top = try list.top(at: index) else { continue }
        let name = try list.name(at: index)
        let schema = try SchemaDecoder(top, name: name, in: snapshot.space).decode()
        guard schema.className != nil else { continue }
        classes.append(
          Class(schema: schema, table: Table(top, schema: schema, in: snapshot.space)))
      } catch { problems.append("a class (number \(index)): \(error)") }
    }
  }

  /// The version of the schema; nil if there is none, or it cannot be read.
  var schemaVersion: UInt64? { try? TableGroup(snapshot).schemaVersion() }

  /// Calls `body` with each object of a class that can be found.
  ///
  /// - Parameter failed: Called with what could not be read.
  func forEachObject(
    of type: Class, failed: (StorageError) -> Void, _ body: (ObjectKey, Row) throws -> Void
  ) throws {
    var visited: Set<Ref> = []
    // The nodes that are still to be visited, the next one last.
    var rest: [(ref: Ref, offset: UInt64)] = [(type.table.clusterRoot, 0)]
    while let (ref, offset) = rest.popLast() {
      // In a damaged tree, nodes may be their own descendants.
      guard visited.insert(ref).inserted else { continue }
      let found: Result<Cluster?, StorageError> = contents(ref, offset, type, &rest, failed)
      switch found {
      case .failure(let error): failed(error)
      case .success(nil): continue
      case .success(let cluster?):
        for index in 0..<cluster.count {
          try body(cluster.key(at: index), cluster.row(at: index))
        }
      }
    }
  }

  private func contents(
    _ ref: Ref, _ offset: UInt64, _ type: Class, _ rest: inout [(ref: Ref, offset: UInt64)],
    _ failed: (StorageError) -> Void
  ) -> Result<Cluster?, StorageError> {
    do throws(StorageError) {
      let space = snapshot.space
      let node = try space.node(at: ref)
      guard node.header.isInner else {
        return .success(try Cluster(node, offset: offset, spec: type.table.spec, in: space))
      }
      let inner = try InnerCluster(node, in: space)
      for child in (0..<inner.childCount).reversed() {
        do throws(StorageError) {
          rest.append((try inner.ref(of: child), offset &+ inner.offset(of: child)))
        } catch { failed(error) }
      }
      return .success(nil)
    } catch { return .failure(error) }
  }
}
