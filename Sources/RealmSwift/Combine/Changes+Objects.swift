// SPDX-License-Identifier: Apache-2.0

// Functions that make publishers of objects and projections.

#if canImport(Combine) || OpenCombine
#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif
import Dispatch

/// Publishes an object after each change of it, and finishes when it was deleted.
public func valuePublisher<T: ObjectBase>(
  _ object: T, keyPaths: [String]? = nil
) -> RealmPublishers.Value<T> {
  RealmPublishers.Value { queue, receive in object._follow(keyPaths, on: queue, receive) }
}

/// Publishes an object after each change of the named properties, and finishes when it was deleted.
public func valuePublisher<T: ObjectBase>(
  _ object: T, keyPaths: [PartialKeyPath<T>]
) -> RealmPublishers.Value<T> {
  valuePublisher(object, keyPaths: keyPaths.map { _name(for: $0) })
}

/// Publishes a projection after each change of what it shows, and finishes when its object was
/// deleted.
///
/// - Parameters:
///   - projection: The projection.
///   - keyPaths: The properties of the projected object whose changes are wanted; nil for all that
///     the projection shows.
public func valuePublisher<T: ProjectionObservable>(
  _ projection: T, keyPaths: [String]? = nil
) -> RealmPublishers.Value<T> {
  RealmPublishers.Value { queue, receive in
    followed(projection, keyPaths, queue, receive)
  }
}

/// Publishes a projection after each change of the named properties, and finishes when its object
/// was deleted.
public func valuePublisher<T: ProjectionObservable>(
  _ projection: T, keyPaths: [PartialKeyPath<T>]
) -> RealmPublishers.Value<T> {
  valuePublisher(projection, keyPaths: keyPaths.map { _name(for: $0) })
}

/// Publishes the changes of properties of an object, and finishes when it was deleted.
public func changesetPublisher<T: ObjectBase>(
  _ object: T, keyPaths: [String]? = nil
) -> RealmPublishers.ObjectChangeset<T> {
  RealmPublishers.ObjectChangeset { queue, receive in
    object.observe(keyPaths: keyPaths, on: queue, receive)
  }
}

/// Publishes the changes of the named properties of an object, and finishes when it was deleted.
public func changesetPublisher<T: ObjectBase>(
  _ object: T, keyPaths: [PartialKeyPath<T>]
) -> RealmPublishers.ObjectChangeset<T> {
  changesetPublisher(object, keyPaths: keyPaths.map { _name(for: $0) })
}

/// Publishes the changes of what a projection shows, and finishes when its object was deleted.
///
/// - Parameters:
///   - projection: The projection.
///   - keyPaths: The properties of the projected object whose changes are wanted; nil for all that
///     the projection shows.
public func changesetPublisher<T: ProjectionObservable>(
  _ projection: T, keyPaths: [String]? = nil
) -> RealmPublishers.ObjectChangeset<T> {
  RealmPublishers.ObjectChangeset { queue, receive in
    projection.observe(keyPaths: keyPaths, on: queue, receive)
  }
}

/// Publishes the changes of the named properties of a projection, and finishes when its object was
/// deleted.
public func changesetPublisher<T: ProjectionObservable>(
  _ projection: T, keyPaths: [PartialKeyPath<T>]
) -> RealmPublishers.ObjectChangeset<T> {
  changesetPublisher(projection, keyPaths: keyPaths.map { _name(for: $0) })
}

extension RealmPublishers.Changes where Failure == Never {
  /// Publishes the changes of an object. The end is no value, but finishes.
  fileprivate init<T: ThreadConfined>(
    _ observe: @escaping (DispatchQueue?, @escaping (Output) -> Void) -> NotificationToken
  ) where Output == ObjectChange<T> {
    self.init(pack: { Parcel(change: $0) }) { queue, receive in
      observe(queue) { change in
        switch change {
        case .change: receive(.value(change))
        case .deleted: receive(.end(.finished))
        case .error:
          receive(.value(change))
          receive(.end(.finished))
        }
      }
    }
  }
}
#endif
