// SPDX-License-Identifier: Apache-2.0

// `RealmSubscribable`: the types whose changes Combine publishers can publish.

#if canImport(Combine) || OpenCombine
public import Dispatch

/// A notification about something subscribable.
public enum _SubscribedChange {
  /// The first call for a collection: the collection as it is.
  case initial(Any)
  /// The object or collection, after a change of it.
  case changed(Any)
  /// The object was deleted; the observation has ended.
  case deleted
  /// The database could not be read; the observation has ended.
  case failed(any Error)
}

/// An object, a collection or a projection whose changes publishers publish.
public protocol RealmSubscribable: ThreadConfined {
  /// Calls `block` with this, as `observe` does.
  func _follow(
    _ keyPaths: [String]?, on queue: DispatchQueue?,
    _ block: @escaping (_SubscribedChange) -> Void
  ) -> NotificationToken
}

extension ObjectBase: RealmSubscribable {
  /// Calls `block` with the object after each change of it.
  public func _follow(
    _ keyPaths: [String]?, on queue: DispatchQueue?,
    _ block: @escaping (_SubscribedChange) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths, on: queue) { (change: ObjectChange<ObjectBase>) in
      block(_SubscribedChange(change))
    }
  }
}

extension Projection: RealmSubscribable {
  /// Calls `block` with the projection after each change of a property that it shows.
  public func _follow(
    _ keyPaths: [String]?, on queue: DispatchQueue?,
    _ block: @escaping (_SubscribedChange) -> Void
  ) -> NotificationToken {
    followed(self, keyPaths, queue, block)
  }
}

/// Observes a projection; the properties to observe are those of its own class.
func followed<P: ProjectionObservable>(
  _ projection: P, _ keyPaths: [String]?, _ queue: DispatchQueue?,
  _ block: @escaping (_SubscribedChange) -> Void
) -> NotificationToken {
  projection.observe(keyPaths: keyPaths, on: queue) { (change: ObjectChange<P>) in
    block(_SubscribedChange(change))
  }
}

extension _SubscribedChange {
  fileprivate init<T>(_ change: ObjectChange<T>) {
    switch change {
    case .change(let object, _): self = .changed(object)
    case .deleted: self = .deleted
    case .error(let error): self = .failed(error)
    }
  }
}

extension RealmCollection {
  /// Calls `block` with the collection as it is, and after each change of it.
  public func _follow(
    _ keyPaths: [String]?, on queue: DispatchQueue?,
    _ block: @escaping (_SubscribedChange) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths, on: queue) { (change: RealmCollectionChange<Self>) in
      switch change {
      case .initial(let collection): block(.initial(collection))
      case .update(let collection, _, _, _): block(.changed(collection))
      case .error(let error): block(.failed(error))
      }
    }
  }
}

extension List: RealmSubscribable {}
extension MutableSet: RealmSubscribable {}
extension Results: RealmSubscribable {}
extension LinkingObjects: RealmSubscribable {}
extension AnyRealmCollection: RealmSubscribable {}

extension RealmKeyedCollection {
  /// Calls `block` with the map as it is, and after each change of it.
  public func _follow(
    _ keyPaths: [String]?, on queue: DispatchQueue?,
    _ block: @escaping (_SubscribedChange) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths, on: queue) { (change: RealmMapChange<Self>) in
      switch change {
      case .initial(let map): block(.initial(map))
      case .update(let map, _, _, _): block(.changed(map))
      case .error(let error): block(.failed(error))
      }
    }
  }
}

extension Map: RealmSubscribable {}

extension RealmSectionedResult {
  /// Calls `block` with the sections as they are, and after each change of them.
  public func _follow(
    _ keyPaths: [String]?, on queue: DispatchQueue?,
    _ block: @escaping (_SubscribedChange) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths, on: queue) { (change: SectionedResultsChange<Self>) in
      switch change {
      case .initial(let sections): block(.initial(sections))
      case .update(let sections, _, _, _, _, _): block(.changed(sections))
      }
    }
  }
}

extension SectionedResults: RealmSubscribable {}
extension ResultsSection: RealmSubscribable {}
#endif
