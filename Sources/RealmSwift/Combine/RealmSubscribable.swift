// SPDX-License-Identifier: Apache-2.0

// `RealmSubscribable`: the types whose changes Combine publishers can publish.

#if canImport(Combine)
public import Dispatch

/// An object, a collection or a projection whose changes publishers publish.
public protocol RealmSubscribable: ThreadConfined {
  /// Calls `block` with this, as `observe` does: `isInitial` in the first call for a collection.
  /// After an object was deleted the value is nil, and there are no further calls.
  func _follow(
    _ keyPaths: [String]?, on queue: DispatchQueue?,
    _ block: @escaping (_ value: Any?, _ isInitial: Bool) -> Void
  ) -> NotificationToken
}

extension ObjectBase: RealmSubscribable {
  /// Calls `block` with the object after each change of it.
  public func _follow(
    _ keyPaths: [String]?, on queue: DispatchQueue?,
    _ block: @escaping (_ value: Any?, _ isInitial: Bool) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths, on: queue) { (change: ObjectChange<ObjectBase>) in
      switch change {
      case .change(let object, _): block(object, false)
      case .deleted, .error: block(nil, false)
      }
    }
  }
}

extension RealmCollection {
  /// Calls `block` with the collection as it is, and after each change of it.
  public func _follow(
    _ keyPaths: [String]?, on queue: DispatchQueue?,
    _ block: @escaping (_ value: Any?, _ isInitial: Bool) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths, on: queue) { (change: RealmCollectionChange<Self>) in
      switch change {
      case .initial(let collection): block(collection, true)
      case .update(let collection, _, _, _): block(collection, false)
      case .error: block(nil, false)
      }
    }
  }
}

extension List: RealmSubscribable {}
extension MutableSet: RealmSubscribable {}
extension Results: RealmSubscribable {}
extension LinkingObjects: RealmSubscribable {}
extension AnyRealmCollection: RealmSubscribable {}

extension Map: RealmSubscribable {
  /// Calls `block` with the map as it is, and after each change of it.
  public func _follow(
    _ keyPaths: [String]?, on queue: DispatchQueue?,
    _ block: @escaping (_ value: Any?, _ isInitial: Bool) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths, on: queue) { (change: RealmMapChange<Map>) in
      switch change {
      case .initial(let map): block(map, true)
      case .update(let map, _, _, _): block(map, false)
      case .error: block(nil, false)
      }
    }
  }
}

extension SectionedResults: RealmSubscribable {
  /// Calls `block` with the sections as they are, and after each change of them.
  public func _follow(
    _ keyPaths: [String]?, on queue: DispatchQueue?,
    _ block: @escaping (_ value: Any?, _ isInitial: Bool) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths, on: queue) { (change: SectionedResultsChange<SectionedResults>) in
      switch change {
      case .initial(let sections): block(sections, true)
      case .update(let sections, _, _, _, _, _): block(sections, false)
      }
    }
  }
}

extension Projection: RealmSubscribable {
  /// Calls `block` with the projection after each change of a property that it shows.
  public func _follow(
    _ keyPaths: [String]?, on queue: DispatchQueue?,
    _ block: @escaping (_ value: Any?, _ isInitial: Bool) -> Void
  ) -> NotificationToken {
    followed(self, keyPaths, queue, block)
  }
}

/// Observes a projection by its own class, which the closure of a method of an open class cannot
/// name.
private func followed<P: ProjectionObservable>(
  _ projection: P, _ keyPaths: [String]?, _ queue: DispatchQueue?,
  _ block: @escaping (_ value: Any?, _ isInitial: Bool) -> Void
) -> NotificationToken {
  projection.observe(keyPaths: keyPaths, on: queue) { (change: ObjectChange<P>) in
    switch change {
    case .change(let projection, _): block(projection, false)
    case .deleted, .error: block(nil, false)
    }
  }
}
#endif
