// SPDX-License-Identifier: Apache-2.0

// `RealmPublishers`: Combine publishers whose subscribers observe objects, collections and realms.

#if canImport(Combine) || OpenCombine
#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif
public import Dispatch
import RealmSession

/// The publishers of objects, collections and realms.
public enum RealmPublishers {
  /// Publishes a value after each change of it, a collection at once too. It finishes after an
  /// object was deleted.
  public typealias Value<Subscribable: ThreadConfined> = Changes<Subscribable, any Error>

  /// Publishes after each change.
  public typealias WillChange<Subscribable: ThreadConfined> = Changes<Void, Never>

  /// Publishes after each change of a realm.
  public typealias RealmWillChange = Changes<Void, Never>

  /// Publishes the changes of properties of an object, and finishes after it was deleted.
  public typealias ObjectChangeset<O: ThreadConfined> = Changes<ObjectChange<O>, Never>

  /// Publishes the changes of a collection.
  public typealias CollectionChangeset<Collection: RealmCollection> =
    Changes<RealmCollectionChange<Collection>, Never>

  /// Publishes the changes of a map.
  public typealias MapChangeset<Collection: RealmKeyedCollection> =
    Changes<RealmMapChange<Collection>, Never>

  /// Publishes the changes of sections, or of one section.
  public typealias SectionedResultsChangeset<Collection: RealmSectionedResult> =
    Changes<SectionedResultsChange<Collection>, Never>

  /// Publishes the changes of one section.
  public typealias SectionChangeset<Collection: RealmSectionedResult> =
    SectionedResultsChangeset<Collection>

  /// A `Value` whose token is saved.
  public typealias ValueWithToken<Subscribable: ThreadConfined, T> = Value<Subscribable>
  /// A `WillChange` whose token is saved.
  public typealias WillChangeWithToken<Subscribable: ThreadConfined, T> = WillChange<Subscribable>
  /// A `RealmWillChange` whose token is saved.
  public typealias RealmWillChangeWithToken<T> = RealmWillChange
  /// An `ObjectChangeset` whose token is saved.
  public typealias ObjectChangesetWithToken<O: ThreadConfined, T> = ObjectChangeset<O>
  /// A `CollectionChangeset` whose token is saved.
  public typealias CollectionChangesetWithToken<Collection: RealmCollection, T> =
    CollectionChangeset<Collection>
  /// A `MapChangeset` whose token is saved.
  public typealias MapChangesetWithToken<Collection: RealmKeyedCollection, T> =
    MapChangeset<Collection>
  /// A `SectionedResultsChangeset` whose token is saved.
  public typealias SectionedResultsChangesetWithToken<Collection: RealmSectionedResult, T> =
    SectionedResultsChangeset<Collection>

  /// A `SectionChangeset` whose token is saved.
  public typealias SectionChangesetWithToken<Collection: RealmSectionedResult, T> =
    SectionChangeset<Collection>

  /// Publishes the notifications of an observer. Each subscriber is an observer of its own.
  ///
  /// Values come where the realm lives, or on the queue of `subscribe(on:)`, regardless of the
  /// subscriber's demand. `receive(on:)` hands them over to another place.
  public struct Changes<Output, Failure: Error>: Publisher {
    /// What an observer gives its subscriber.
    enum Event {
      case value(Output)
      case end(Subscribers.Completion<Failure>)
    }

    /// Registers an observer.
    typealias Observe = (DispatchQueue?, @escaping (Event) -> Void) -> NotificationToken

    private let observe: Observe
    private let pack: (Output) -> Parcel<Output>
    private var queue: DispatchQueue?
    private var save: (NotificationToken) -> Void = { _ in }

    init(pack: @escaping (Output) -> Parcel<Output>, _ observe: @escaping Observe) {
      self.pack = pack
      self.observe = observe
    }

    /// Observes on a serial queue.
    public func subscribe(on queue: DispatchQueue) -> Self {
      var publisher = self
      publisher.queue = queue
      return publisher
    }

    /// The values on a scheduler, each as that of the realm there: it is handed over by a
    /// thread-safe reference. What was deleted meanwhile is left out.
    ///
    /// - Parameters:
    ///   - scheduler: A serial queue, a run loop, or another scheduler of one thread at a time.
    ///   - options: Options of the scheduler.
    public func receive<S: Scheduler>(
      on scheduler: S, options: S.SchedulerOptions? = nil
    ) -> DeferredHandover<Self, S> {
      DeferredHandover(upstream: self, scheduler: scheduler, options: options, pack: pack)
    }

    /// Begins to observe for a subscriber.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      let subscription = RealmSubscription()
      subscriber.receive(subscription: ObservationSubscription(subscription))
      subscription.begin {
        // The subscription keeps the token, and with it this closure.
        let token = observe(queue) { [weak subscription] event in
          guard let subscription, !subscription.isEnded else { return }
          switch event {
          case .value(let value): _ = subscriber.receive(value)
          case .end(let completion):
            if subscription.end() { subscriber.receive(completion: completion) }
          }
        }
        save(token)
        return token
      }
    }
  }
}

// MARK: - Tokens

extension RealmPublishers.Changes {
  /// Hands the token of each subscription to a property, so that it can be given to
  /// `write(withoutNotifying:)`.
  public func saveToken<T>(
    on object: T, at keyPath: ReferenceWritableKeyPath<T, NotificationToken?>
  ) -> Self {
    saving { object[keyPath: keyPath] = $0 }
  }

  /// Hands the token of each subscription to a property, so that it can be given to
  /// `write(withoutNotifying:)`.
  public func saveToken<T>(
    on object: T, at keyPath: ReferenceWritableKeyPath<T, NotificationToken>
  ) -> Self {
    saving { object[keyPath: keyPath] = $0 }
  }

  /// Hands the token of each subscription to a property, so that it can be given to
  /// `write(withoutNotifying:)`.
  public func saveToken<T>(
    on object: T, for keyPath: ReferenceWritableKeyPath<T, NotificationToken?>
  ) -> Self {
    saveToken(on: object, at: keyPath)
  }

  /// Hands the token of each subscription to a property, so that it can be given to
  /// `write(withoutNotifying:)`.
  public func saveToken<T>(
    on object: T, for keyPath: ReferenceWritableKeyPath<T, NotificationToken>
  ) -> Self {
    saveToken(on: object, at: keyPath)
  }

  private func saving(_ save: @escaping (NotificationToken) -> Void) -> Self {
    var publisher = self
    publisher.save = save
    return publisher
  }
}

// MARK: - What is published

extension RealmPublishers.Changes where Failure == any Error, Output: ThreadConfined {
  /// Publishes the value of each notification of `follow`.
  init(
    following follow:
      @escaping (DispatchQueue?, @escaping (_SubscribedChange) -> Void) ->
      NotificationToken
  ) {
    self.init(pack: { Parcel(confined: $0) }) { queue, receive in
      follow(queue) { change in
        switch change {
        case .initial(let value), .changed(let value):
          if let value = value as? Output { receive(.value(value)) }
        case .deleted: receive(.end(.finished))
        case .failed(let error): receive(.end(.failure(error)))
        }
      }
    }
  }
}

extension RealmPublishers.Changes where Failure == Never, Output == Void {
  /// Publishes after each change of `value`; never, if no realm manages it.
  init<Value: RealmSubscribable>(in value: Value) {
    self.init(pack: { Parcel($0) }) { queue, receive in
      if value.isFrozen || value.realm == nil { return NotificationToken() }
      return value._follow(nil, on: queue) { change in
        switch change {
        case .initial: break
        case .changed: receive(.value(()))
        case .deleted, .failed: receive(.end(.finished))
        }
      }
    }
  }

  /// Publishes after each change of a realm.
  init(of realm: Realm) {
    self.init(pack: { Parcel($0) }) { queue, receive in
      // The subscriber's code is transferred to the queue and used nowhere else.
      let receive = UnsafeTransfer(receive)
      return realm.observe { _, _ in
        guard let queue else { return receive.value(.value(())) }
        queue.async { receive.value(.value(())) }
      }
    }
  }
}
#endif
