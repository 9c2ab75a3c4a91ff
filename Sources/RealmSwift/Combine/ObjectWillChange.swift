// SPDX-License-Identifier: Apache-2.0

// Objects and collections as observable objects, and `objectWillChange` of what is no class.

#if canImport(Combine) || OpenCombine
#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

extension Realm {
  /// Publishes after each change of the realm, and when there is a newer version to which it does
  /// not move by itself.
  public var objectWillChange: RealmPublishers.RealmWillChange {
    RealmPublishers.RealmWillChange(of: self)
  }
}

extension ObjectBase: ObservableObject {
  /// Publishes when the object changed; never while no realm manages it.
  public var objectWillChange: RealmPublishers.WillChange<ObjectBase> {
    RealmPublishers.WillChange<ObjectBase>(in: self)
  }
}

extension Projection: ObservableObject {
  /// Publishes when a property of the projection changed; never while no realm manages its object.
  public var objectWillChange: RealmPublishers.WillChange<Projection> {
    RealmPublishers.WillChange<Projection>(in: self)
  }
}

extension List: ObservableObject {
  /// Publishes when the list changed; never while no realm manages it.
  public var objectWillChange: RealmPublishers.WillChange<List> {
    RealmPublishers.WillChange<List>(in: self)
  }
}

extension MutableSet: ObservableObject {
  /// Publishes when the set changed; never while no realm manages it.
  public var objectWillChange: RealmPublishers.WillChange<MutableSet> {
    RealmPublishers.WillChange<MutableSet>(in: self)
  }
}

extension Map: ObservableObject {
  /// Publishes when the map changed; never while no realm manages it.
  public var objectWillChange: RealmPublishers.WillChange<Map> {
    RealmPublishers.WillChange<Map>(in: self)
  }
}

extension Results {
  /// Publishes when the results changed.
  public var objectWillChange: RealmPublishers.WillChange<Results> {
    RealmPublishers.WillChange<Results>(in: self)
  }
}

extension LinkingObjects {
  /// Publishes when the objects that link changed.
  public var objectWillChange: RealmPublishers.WillChange<LinkingObjects> {
    RealmPublishers.WillChange<LinkingObjects>(in: self)
  }
}

extension AnyRealmCollection {
  /// Publishes when the collection changed; never while no realm manages it.
  public var objectWillChange: RealmPublishers.WillChange<AnyRealmCollection> {
    RealmPublishers.WillChange<AnyRealmCollection>(in: self)
  }
}

extension SectionedResults {
  /// Publishes when the sections changed.
  public var objectWillChange: RealmPublishers.WillChange<SectionedResults> {
    RealmPublishers.WillChange<SectionedResults>(in: self)
  }
}

extension ResultsSection {
  /// Publishes when the section changed.
  public var objectWillChange: RealmPublishers.WillChange<ResultsSection> {
    RealmPublishers.WillChange<ResultsSection>(in: self)
  }
}
#endif
