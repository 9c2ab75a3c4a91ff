// SPDX-License-Identifier: Apache-2.0

// Writes the values of an `ObjectSnapshot` to a realm, and nothing that it does not have.

extension Realm {
  /// Creates an object with the values of a snapshot, or updates the one with the same primary key.
  ///
  /// ```swift
  /// let edited = ObjectSnapshot(todo)
  /// try realm.write { realm.create(from: edited, update: .modified) }
  /// ```
  ///
  /// Objects that the snapshot links to are created or updated too, by the same policy. An object
  /// of which it has only the primary key is found by that and stays as it is; if the realm does
  /// not have it, it gets default values. `makeObject()` cannot distinguish the two.
  ///
  /// To be called in a write transaction where the realm lives; traps elsewhere, with another
  /// policy than `.error` for a class without primary key, and with `.error` if the realm has one
  /// of the objects already.
  ///
  /// - Parameters:
  ///   - snapshot: The values.
  ///   - update: The policy if the realm has an object with the same primary key.
  /// - Complexity: As `create(_:value:update:)` for each object of the snapshot.
  @discardableResult
  public func create<Model: Object>(
    from snapshot: ObjectSnapshot<Model>, update: UpdatePolicy = .error
  ) -> Model {
    core.requireWriteForObjects()
    return create(Model.self, value: snapshot.record.values(in: self, update), update: update)
  }
}

extension SnapshotRecord {
  /// The properties as `create` takes them. Objects that mixed values link to are created at once,
  /// because only an object determines the class that a mixed value links to.
  fileprivate func values(in realm: Realm, _ policy: Realm.UpdatePolicy) -> [String: Any] {
    values.mapValues { $0.value(in: realm, policy) }
  }
}

extension SnapshotValue {
  fileprivate func value(in realm: Realm, _ policy: Realm.UpdatePolicy) -> Any {
    switch self {
    case .scalar: return any
    case .object(let record): return record.values(in: realm, policy)
    case .mixedLink(let model, let record):
      let isKeyed = ModelSchema.of(model.type).primaryKey != nil
      return realm.create(
        model.type, value: record.values(in: realm, policy), update: isKeyed ? policy : .error)
    case .list(let elements): return elements.map { $0.value(in: realm, policy) }
    case .map(let entries): return entries.mapValues { $0.value(in: realm, policy) }
    }
  }
}
