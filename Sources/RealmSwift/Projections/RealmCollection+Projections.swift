// SPDX-License-Identifier: Apache-2.0

// Queries, orders and observation of collections of projections. Queries and orders are evaluated
// on the projected objects.

public import Dispatch
public import Foundation
import RealmQuery

extension Query where T: ProjectionObservable {
  /// A property of the projected object.
  public subscript<V: _Persistable>(dynamicMember member: KeyPath<T.Root, V>) -> Query<V> {
    let shape = V._shape
    let isCollection = shape.collection != .none || shape.type == .linkingObjects
    return Query<V>(propertyPath.appending(_name(for: member), isMany: isCollection))
  }
}

extension RealmCollection where Element: ProjectionObservable {
  /// The projections of the objects that match a condition.
  public func `where`(_ isIncluded: (Query<Element>) -> Query<Bool>) -> Results<Element> {
    _resultsSource.filtered(by: isIncluded(.subject).asCondition)
  }

  /// The projections of the objects that match a query string.
  public func filter(_ predicateFormat: String, _ args: Any...) -> Results<Element> {
    _resultsSource.filtered(by: predicateFormat, args)
  }

  /// The projections of the objects that match a predicate.
  public func filter(_ predicate: NSPredicate) -> Results<Element> {
    _resultsSource.filtered(by: predicate)
  }

  /// The position of the first object that matches a condition; nil if there is none.
  public func index(matching isIncluded: (Query<Element>) -> Query<Bool>) -> Int? {
    self.where(isIncluded).first.flatMap { index(of: $0) }
  }

  /// The projections in the order of a property.
  public func sorted<Value: _HasPersistedType>(
    by keyPath: KeyPath<Element, Value>, ascending: Bool = true
  ) -> Results<Element> where Value.PersistedType: SortableType {
    sorted(byKeyPath: _name(for: keyPath), ascending: ascending)
  }

  /// The projections in the order of a property, a section for each of its values.
  public func sectioned<Key: _Persistable & Hashable>(
    by keyPath: KeyPath<Element, Key>, ascending: Bool = true
  ) -> SectionedResults<Key, Element> {
    let order = SortDescriptor(keyPath: _name(for: keyPath), ascending: ascending)
    return sectioned(sortDescriptors: [order]) { $0[keyPath: keyPath] }
  }

  // MARK: Observing

  /// Calls `block` with the collection as it is, and again after each write transaction that
  /// changed it, or a property that the projections show.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties of the projected objects whose changes are wanted; nil or empty
  ///     for all that the projections show.
  ///   - queue: A serial queue to be called on instead.
  ///   - block: Gets the collection as it is, or a change.
  /// - Returns: A token that must be kept as long as `block` is to be called.
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping (RealmCollectionChange<Self>) -> Void
  ) -> NotificationToken {
    let paths = ProjectionSchema.of(Element.self).observedPaths(keyPaths)
    return observed(on: queue) { $0.observeHere($1, paths, block) }
  }

  /// Calls `block` as `observe(keyPaths:on:_:)` does, with typed key paths.
  public func observe(
    keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue? = nil,
    _ block: @escaping (RealmCollectionChange<Self>) -> Void
  ) -> NotificationToken {
    let paths =
      keyPaths.isEmpty
      ? ProjectionSchema.of(Element.self).observedPaths(nil) : keyPaths.map { _name(for: $0) }
    return observed(on: queue) { $0.observeHere($1, paths, block) }
  }

  /// Calls `block` on an actor, with the collection as it is there, and again after each write
  /// transaction that changed it.
  ///
  /// - Returns: A token, after the observer was registered. It must be kept as long as `block` is
  ///   to be called.
  public func observe<A: Actor>(
    keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
    _ block: @Sendable @escaping (isolated A, RealmCollectionChange<Self>) -> Void
  ) async -> NotificationToken {
    let paths = ProjectionSchema.of(Element.self).observedPaths(keyPaths)
    return await observed(on: actor) { collection, core, actor in
      collection.observeHere(core, paths, actor.calling(block))
    }
  }

  /// Calls `block` on an actor as `observe(keyPaths:on:_:)` does, with typed key paths.
  public func observe<A: Actor>(
    keyPaths: [PartialKeyPath<Element>], on actor: A,
    _isolation: isolated (any Actor)? = #isolation,
    _ block: @Sendable @escaping (isolated A, RealmCollectionChange<Self>) -> Void
  ) async -> NotificationToken {
    let paths =
      keyPaths.isEmpty
      ? ProjectionSchema.of(Element.self).observedPaths(nil) : keyPaths.map { _name(for: $0) }
    return await observed(on: actor) { collection, core, actor in
      collection.observeHere(core, paths, actor.calling(block))
    }
  }
}
