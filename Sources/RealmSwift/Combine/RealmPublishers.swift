// SPDX-License-Identifier: Apache-2.0

// `RealmPublishers`: Combine publishers whose subscribers observe objects, collections and realms.

#if canImport(Combine)
public import Combine
public import Dispatch
import RealmSession

/// The publishers of objects, collections and realms.
public enum RealmPublishers {
  /// Publishes a value after each change of it, a collection at once too. It finishes after an
  /// object was deleted.
  public typealias Value<Subscribable: RealmSubscribable> = Changes<Subscribable, any Error>

  /// Publishes after each change.
  public typealias WillChange<Subscribable: RealmSubscribable> = Changes<Void, Never>

  /// Publishes after each change of a realm.
  public typealias RealmWillChange = Changes<Void, Never>

  /// Publishes the changes of properties of an object.
  public typealias ObjectChangeset<O: ObjectBase> = Changes<ObjectChange<O>, Never>

  /// Publishes the changes of a collection.
  public typealias CollectionChangeset<Collection: RealmCollection> =
    Changes<RealmCollectionChange<Collection>, Never>

  /// Publishes the changes of a map.
  public typealias MapChangeset<Key: _MapKey, Element: RealmCollectionValue> =
    Changes<RealmMapChange<Map<Key, Element>>, Never>

  /// Publishes the changes of sections.
  public typealias SectionedResultsChangeset<
    Key: _Persistable & Hashable, Element: RealmCollectionValue
  > = Changes<SectionedResultsChange<SectionedResults<Key, Element>>, Never>

  /// Publishes the notifications of an observer. Each subscriber is an observer of its own.
  ///
  /// Values come where the realm lives, or on the queue of `subscribe(on:)`, regardless of the
  /// subscriber's demand.
  public struct Changes<Output, Failure: Error>: Publisher {
    /// Registers an observer; nil as the output is the end.
    typealias Observe = (DispatchQueue?, @escaping (Output?) -> Void) -> NotificationToken

    private let observe: Observe
    private var queue: DispatchQueue?
    private var save: (NotificationToken) -> Void = { _ in }

    init(_ observe: @escaping Observe) { self.observe = observe }

    /// Hands the token of each subscription to a property, so that it can be given to
    /// `write(withoutNotifying:)`.
    public func saveToken<T>(
      on object: T, at keyPath: ReferenceWritableKeyPath<T, NotificationToken?>
    ) -> Self {
      var publisher = self
      publisher.save = { object[keyPath: keyPath] = $0 }
      return publisher
    }

    /// Hands the token of each subscription to a property.
    public func saveToken<T>(
      on object: T, at keyPath: ReferenceWritableKeyPath<T, NotificationToken>
    ) -> Self {
      var publisher = self
      publisher.save = { object[keyPath: keyPath] = $0 }
      return publisher
    }

    /// Observes on a serial queue.
    public func subscribe(on queue: DispatchQueue) -> Self {
      var publisher = self
      publisher.queue = queue
      return publisher
    }

    /// Begins to observe for a subscriber.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      let subscription = RealmSubscription()
      subscriber.receive(subscription: subscription)
      subscription.begin {
        let token = observe(queue) { value in
          if let value {
            _ = subscriber.receive(value)
          } else {
            subscriber.receive(completion: .finished)
          }
        }
        save(token)
        return token
      }
    }
  }
}

extension RealmPublishers.Changes where Failure == any Error, Output: RealmSubscribable {
  /// Publishes `value` after each change.
  init(of value: Output, _ keyPaths: [String]?) {
    self.init { queue, receive in
      value._follow(keyPaths, on: queue) { value, _ in receive(value as? Output) }
    }
  }
}

extension RealmPublishers.Changes where Failure == Never, Output == Void {
  /// Publishes after each change of `value`; never, if no realm manages it.
  init<Value: RealmSubscribable>(in value: Value) {
    self.init { queue, receive in
      if value.realm == nil || value.isFrozen { return NotificationToken(nil) }
      return value._follow(nil, on: queue) { value, isInitial in
        if !isInitial { receive(value == nil ? nil : ()) }
      }
    }
  }
}

extension NotificationToken: Combine.Cancellable {
  /// Ends the observation.
  public func cancel() { invalidate() }
}
#endif
