// SPDX-License-Identifier: Apache-2.0

// Functions and properties that make publishers of objects, collections and realms.

#if canImport(Combine)
public import Combine

/// Publishes an object after each change of it, and finishes when it was deleted.
public func valuePublisher<T: ObjectBase>(
  _ object: T, keyPaths: [String]? = nil
) -> RealmPublishers.Value<T> {
  RealmPublishers.Value(of: object, keyPaths)
}

/// Publishes a collection as it is, and after each change of it.
public func valuePublisher<T: RealmCollection & RealmSubscribable>(
  _ collection: T, keyPaths: [String]? = nil
) -> RealmPublishers.Value<T> {
  RealmPublishers.Value(of: collection, keyPaths)
}

/// Publishes the changes of properties of an object.
public func changesetPublisher<T: ObjectBase>(
  _ object: T, keyPaths: [String]? = nil
) -> RealmPublishers.ObjectChangeset<T> {
  RealmPublishers.ObjectChangeset { queue, receive in
    object.observe(keyPaths: keyPaths, on: queue) { (change: ObjectChange<T>) in
      receive(change)
      if case .deleted = change { receive(nil) }
    }
  }
}

/// Publishes a collection as it is, and then its changes.
public func changesetPublisher<T: RealmCollection>(
  _ collection: T, keyPaths: [String]? = nil
) -> RealmPublishers.CollectionChangeset<T> {
  collection.changesetPublisher(keyPaths: keyPaths)
}

extension RealmCollection {
  /// Publishes the collection as it is, and then its changes.
  public var changesetPublisher: RealmPublishers.CollectionChangeset<Self> {
    changesetPublisher(keyPaths: nil)
  }

  /// Publishes the collection as it is, and then changes that concern the named properties.
  public func changesetPublisher(
    keyPaths: [String]?
  ) -> RealmPublishers.CollectionChangeset<Self> {
    RealmPublishers.CollectionChangeset { queue, receive in
      observe(keyPaths: keyPaths, on: queue) { receive($0) }
    }
  }
}

extension RealmCollection where Self: RealmSubscribable {
  /// Publishes the collection as it is, and after each change of it.
  public var collectionPublisher: RealmPublishers.Value<Self> { collectionPublisher(keyPaths: nil) }

  /// Publishes the collection as it is, and after each change of the named properties.
  public func collectionPublisher(keyPaths: [String]?) -> RealmPublishers.Value<Self> {
    RealmPublishers.Value(of: self, keyPaths)
  }
}

extension Map {
  /// Publishes the map as it is, and after each change of it.
  public var collectionPublisher: RealmPublishers.Value<Map> { collectionPublisher(keyPaths: nil) }

  /// Publishes the map as it is, and after each change of the named properties.
  public func collectionPublisher(keyPaths: [String]?) -> RealmPublishers.Value<Map> {
    RealmPublishers.Value(of: self, keyPaths)
  }

  /// Publishes the map as it is, and then its changes.
  public var changesetPublisher: RealmPublishers.MapChangeset<Key, Value> {
    changesetPublisher(keyPaths: nil)
  }

  /// Publishes the map as it is, and then changes that concern the named properties.
  public func changesetPublisher(
    keyPaths: [String]?
  ) -> RealmPublishers.MapChangeset<Key, Value> {
    RealmPublishers.MapChangeset { queue, receive in
      self.observe(keyPaths: keyPaths, on: queue) { receive($0) }
    }
  }
}

extension SectionedResults {
  /// Publishes the sections as they are, and after each change of them.
  public var collectionPublisher: RealmPublishers.Value<SectionedResults> {
    RealmPublishers.Value(of: self, nil)
  }

  /// Publishes the sections as they are, and then their changes.
  public var changesetPublisher: RealmPublishers.SectionedResultsChangeset<Key, SectionElement> {
    RealmPublishers.SectionedResultsChangeset { queue, receive in
      self.observe(keyPaths: nil, on: queue) { receive($0) }
    }
  }
}

// MARK: - Observable objects

extension Realm {
  /// Publishes when the realm changed.
  public var objectWillChange: RealmPublishers.RealmWillChange {
    RealmPublishers.RealmWillChange { _, receive in
      self.observe { _, _ in receive(()) }
    }
  }
}

extension ObjectBase: Combine.ObservableObject {
  /// Publishes when the object changed; never while no realm manages it.
  public var objectWillChange: RealmPublishers.WillChange<ObjectBase> {
    RealmPublishers.RealmWillChange(in: self)
  }
}

extension List: Combine.ObservableObject {
  /// Publishes when the list changed; never while no realm manages it.
  public var objectWillChange: RealmPublishers.WillChange<List> {
    RealmPublishers.RealmWillChange(in: self)
  }
}

extension MutableSet: Combine.ObservableObject {
  /// Publishes when the set changed; never while no realm manages it.
  public var objectWillChange: RealmPublishers.WillChange<MutableSet> {
    RealmPublishers.RealmWillChange(in: self)
  }
}

extension Map: Combine.ObservableObject {
  /// Publishes when the map changed; never while no realm manages it.
  public var objectWillChange: RealmPublishers.WillChange<Map> {
    RealmPublishers.RealmWillChange(in: self)
  }
}

extension Projection: Combine.ObservableObject {
  /// Publishes when a property of the projection changed; never while no realm manages its object.
  public var objectWillChange: RealmPublishers.WillChange<Projection> {
    RealmPublishers.RealmWillChange(in: self)
  }
}
#endif
