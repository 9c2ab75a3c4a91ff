// SPDX-License-Identifier: Apache-2.0

// What a version does to each object, collected while it is made.

package import RealmStorage
package import RealmSyncProtocol
package import RealmTables

/// Compares the objects of a changeset before and after it is carried out.
package struct TouchCollector {
  private struct Before {
    let identity: ObjectIdentity
    /// Nil if there was no such object.
    let values: [(name: String, value: TableValue)]?
  }

  private let group: WriteGroup
  private var objects: [Before] = []

  package init(_ group: WriteGroup) { self.group = group }

  /// Notes the objects of a changeset before it is carried out.
  package mutating func begin(_ changeset: Changeset) throws(StorageError) {
    objects.removeAll(keepingCapacity: true)
    var seen: Set<ObjectReference> = []
    for instruction in changeset.instructions {
      guard let object = instruction.object, seen.insert(object).inserted else { continue }
      let identity = changeset.identity(of: object)
      objects.append(
        Before(identity: identity, values: try values(of: identity)))
    }
  }

  /// The objects and their changes since they were noted.
  ///
  /// - Parameters:
  ///   - made: Objects made by the client, even if merging discarded it. They are touched in any
  ///     case: the client has them.
  ///   - reduced: Objects made with initial values that were left out.
  package func end(
    made: [ObjectIdentity], reduced: Set<ObjectIdentity> = []
  ) throws(StorageError) -> [Touch] {
    var touches: [Touch] = []
    for object in objects {
      let now = try values(of: object.identity)
      switch (object.values, now) {
      case (nil, nil): touches.append(Touch(object: object.identity, existence: .absent))
      case (nil, _): touches.append(Touch(object: object.identity, existence: .created))
      case (let before?, nil):
        let fields = before.map { Touch.Field($0.name, kept: $0.value) }
        touches.append(Touch(object: object.identity, existence: .erased, fields: fields))
      case (let before?, let now?):
        var values: [String: TableValue] = [:]
        for (name, value) in now { values[name] = value }
        let fields = before.compactMap { (name, value) in
          values[name] == value ? nil : Touch.Field(name, kept: value)
        }
        touches.append(
          Touch(
            object: object.identity, existence: .stayed, fields: fields,
            isReduced: reduced.contains(object.identity)))
      }
    }
    guard !made.isEmpty else { return touches }
    var places: [ObjectIdentity: Int] = [:]
    for (place, touch) in touches.enumerated() { places[touch.object] = place }
    for object in made {
      if let place = places[object] {
        touches[place].isMade = true
      } else {
        let isThere = try values(of: object) != nil
        touches.append(
          Touch(
            object: object, existence: isThere ? .stayed : .absent, isMade: true,
            isLost: true))
      }
    }
    return touches
  }
}

extension TouchCollector {
  /// The values of queryable properties; nil if there is no such object.
  private func values(
    of object: ObjectIdentity
  ) throws(StorageError) -> [(name: String, value: TableValue)]? {
    guard let table = try group.table(named: "class_" + object.className),
      let row = try table.table.row(of: object.key)
    else { return nil }
    return try row.queryableValues(table.schema, in: group)
  }
}
