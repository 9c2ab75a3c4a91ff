// SPDX-License-Identifier: Apache-2.0

// Functions and properties that make publishers of collections, maps and sections.

#if canImport(Combine) || OpenCombine
// MARK: Lists, sets, results

/// Publishes a collection as it is, and after each change of it.
public func valuePublisher<T: RealmCollection>(
  _ collection: T, keyPaths: [String]? = nil
) -> RealmPublishers.Value<T> {
  collection.collectionPublisher(keyPaths: keyPaths)
}

/// Publishes a collection as it is, and then its changes.
public func changesetPublisher<T: RealmCollection>(
  _ collection: T, keyPaths: [String]? = nil
) -> RealmPublishers.CollectionChangeset<T> {
  collection.changesetPublisher(keyPaths: keyPaths)
}

extension RealmCollection {
  /// The earlier name of `collectionPublisher`.
  @available(*, deprecated, renamed: "collectionPublisher")
  public var publisher: RealmPublishers.Value<Self> { collectionPublisher }

  /// Publishes the collection as it is, and after each change of it.
  public var collectionPublisher: RealmPublishers.Value<Self> { collectionPublisher(keyPaths: nil) }

  /// Publishes the collection as it is, and after each change of the named properties.
  public func collectionPublisher(keyPaths: [String]?) -> RealmPublishers.Value<Self> {
    RealmPublishers.Value { queue, receive in _follow(keyPaths, on: queue, receive) }
  }

  /// Publishes the collection as it is, and after each change of the named properties.
  public func collectionPublisher(
    keyPaths: [PartialKeyPath<Element>]
  ) -> RealmPublishers.Value<Self> where Element: ObjectBase {
    collectionPublisher(keyPaths: keyPaths.map { _name(for: $0) })
  }

  /// Publishes the collection as it is, and then its changes.
  public var changesetPublisher: RealmPublishers.CollectionChangeset<Self> {
    changesetPublisher(keyPaths: nil)
  }

  /// Publishes the collection as it is, and then changes that concern the named properties.
  public func changesetPublisher(keyPaths: [String]?) -> RealmPublishers.CollectionChangeset<Self> {
    RealmPublishers.CollectionChangeset(pack: { Parcel(change: $0) }) { queue, receive in
      observe(keyPaths: keyPaths, on: queue) { receive(.value($0)) }
    }
  }

  /// Publishes the collection as it is, and then changes that concern the named properties.
  public func changesetPublisher(
    keyPaths: [PartialKeyPath<Element>]
  ) -> RealmPublishers.CollectionChangeset<Self> where Element: ObjectBase {
    changesetPublisher(keyPaths: keyPaths.map { _name(for: $0) })
  }
}

// MARK: Maps

/// Publishes a map as it is, and after each change of it.
public func valuePublisher<T: RealmKeyedCollection>(
  _ collection: T, keyPaths: [String]? = nil
) -> RealmPublishers.Value<T> {
  collection.collectionPublisher(keyPaths: keyPaths)
}

/// Publishes a map as it is, and then its changes.
public func changesetPublisher<T: RealmKeyedCollection>(
  _ collection: T, keyPaths: [String]? = nil
) -> RealmPublishers.MapChangeset<T> {
  collection.changesetPublisher(keyPaths: keyPaths)
}

extension RealmKeyedCollection {
  /// The earlier name of `collectionPublisher`.
  @available(*, deprecated, renamed: "collectionPublisher")
  public var publisher: RealmPublishers.Value<Self> { collectionPublisher }

  /// Publishes the map as it is, and after each change of it.
  public var collectionPublisher: RealmPublishers.Value<Self> { collectionPublisher(keyPaths: nil) }

  /// Publishes the map as it is, and after each change of the named properties.
  public func collectionPublisher(keyPaths: [String]?) -> RealmPublishers.Value<Self> {
    RealmPublishers.Value { queue, receive in _follow(keyPaths, on: queue, receive) }
  }

  /// Publishes the map as it is, and after each change of the named properties.
  public func collectionPublisher(
    keyPaths: [PartialKeyPath<Value.Wrapped>]
  ) -> RealmPublishers.Value<Self> where Value: OptionalProtocol, Value.Wrapped: ObjectBase {
    collectionPublisher(keyPaths: keyPaths.map { _name(for: $0) })
  }

  /// Publishes the map as it is, and then its changes.
  public var changesetPublisher: RealmPublishers.MapChangeset<Self> {
    changesetPublisher(keyPaths: nil)
  }

  /// Publishes the map as it is, and then changes that concern the named properties.
  public func changesetPublisher(keyPaths: [String]?) -> RealmPublishers.MapChangeset<Self> {
    RealmPublishers.MapChangeset(pack: { Parcel(change: $0) }) { queue, receive in
      observe(keyPaths: keyPaths, on: queue) { receive(.value($0)) }
    }
  }

  /// Publishes the map as it is, and then changes that concern the named properties.
  public func changesetPublisher(
    keyPaths: [PartialKeyPath<Value.Wrapped>]
  ) -> RealmPublishers.MapChangeset<Self>
  where Value: OptionalProtocol, Value.Wrapped: ObjectBase {
    changesetPublisher(keyPaths: keyPaths.map { _name(for: $0) })
  }
}

// MARK: Sections

/// Publishes sections, or one section, as they are, and after each change of them.
public func valuePublisher<T: RealmSectionedResult>(
  _ collection: T, keyPaths: [String]? = nil
) -> RealmPublishers.Value<T> {
  collection.collectionPublisher(keyPaths: keyPaths)
}

/// Publishes sections, or one section, as they are, and then their changes.
public func changesetPublisher<T: RealmSectionedResult>(
  _ collection: T, keyPaths: [String]? = nil
) -> RealmPublishers.SectionedResultsChangeset<T> {
  collection.changesetPublisher(keyPaths: keyPaths)
}

extension RealmSectionedResult {
  /// Publishes the sections as they are, and after each change of them.
  public var collectionPublisher: RealmPublishers.Value<Self> { collectionPublisher(keyPaths: nil) }

  /// Publishes the sections as they are, and after each change of the named properties.
  public func collectionPublisher(keyPaths: [String]?) -> RealmPublishers.Value<Self> {
    RealmPublishers.Value { queue, receive in _follow(keyPaths, on: queue, receive) }
  }

  /// Publishes the sections as they are, and after each change of the named properties.
  public func collectionPublisher(
    keyPaths: [PartialKeyPath<SectionElement>]
  ) -> RealmPublishers.Value<Self> where SectionElement: ObjectBase {
    collectionPublisher(keyPaths: keyPaths.map { _name(for: $0) })
  }

  /// Publishes the sections as they are, and then their changes.
  public var changesetPublisher: RealmPublishers.SectionedResultsChangeset<Self> {
    changesetPublisher(keyPaths: nil)
  }

  /// Publishes the sections as they are, and then changes that concern the named properties.
  public func changesetPublisher(
    keyPaths: [String]?
  ) -> RealmPublishers.SectionedResultsChangeset<Self> {
    RealmPublishers.SectionedResultsChangeset(pack: { Parcel(change: $0) }) { queue, receive in
      observe(keyPaths: keyPaths, on: queue) { receive(.value($0)) }
    }
  }

  /// Publishes the sections as they are, and then changes that concern the named properties.
  public func changesetPublisher(
    keyPaths: [PartialKeyPath<SectionElement>]
  ) -> RealmPublishers.SectionedResultsChangeset<Self> where SectionElement: ObjectBase {
    changesetPublisher(keyPaths: keyPaths.map { _name(for: $0) })
  }
}
#endif
