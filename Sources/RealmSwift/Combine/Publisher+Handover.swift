// SPDX-License-Identifier: Apache-2.0

// Operators that hand a publisher's values over to other threads: frozen, or by reference.

#if canImport(Combine)
public import Combine
import Dispatch

extension Publisher where Output: ThreadConfined {
  /// The values, frozen: they may be received on any thread.
  public func freeze() -> Publishers.Map<Self, Output> { map { $0.freeze() } }

  /// The values as references, for `receive(on:)`, after which they are those of the scheduler's
  /// realm.
  public func threadSafeReference() -> RealmPublishers.MakeThreadSafe<Self> {
    RealmPublishers.MakeThreadSafe(self)
  }
}

extension Publisher {
  /// The changes, with a frozen object.
  public func freeze<T: Object>() -> Publishers.Map<Self, Output> where Output == ObjectChange<T> {
    map { change in
      guard case .change(let object, let properties) = change else { return change }
      return .change(object.freeze(), properties)
    }
  }

  /// The changes, with a frozen collection.
  public func freeze<T: RealmCollection>() -> Publishers.Map<Self, Output>
  where Output == RealmCollectionChange<T> {
    map { change in
      switch change {
      case .initial(let collection): .initial(collection.freeze())
      case .update(let collection, let deletions, let insertions, let modifications):
        .update(
          collection.freeze(), deletions: deletions, insertions: insertions,
          modifications: modifications)
      case .error(let error): .error(error)
      }
    }
  }
}

extension RealmPublishers {
  /// A publisher whose values are to be received on a scheduler.
  public struct MakeThreadSafe<Upstream: Publisher>: Publisher
  where Upstream.Output: ThreadConfined {
    /// The values of the upstream.
    public typealias Output = Upstream.Output
    /// The error of the upstream.
    public typealias Failure = Upstream.Failure

    private let upstream: Upstream

    init(_ upstream: Upstream) { self.upstream = upstream }

    /// Publishes where the upstream does.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: subscriber)
    }

    /// The values on a scheduler. Those that were deleted meanwhile are left out.
    public func receive<S: Scheduler>(on scheduler: S) -> DeferredHandover<Upstream, S> {
      DeferredHandover(upstream, scheduler)
    }
  }

  /// A publisher whose values are those of the realm on a scheduler.
  public struct DeferredHandover<Upstream: Publisher, S: Scheduler>: Publisher
  where Upstream.Output: ThreadConfined {
    /// The values of the upstream.
    public typealias Output = Upstream.Output
    /// The error of the upstream.
    public typealias Failure = Upstream.Failure

    private let upstream: Upstream
    private let scheduler: S

    init(_ upstream: Upstream, _ scheduler: S) {
      self.upstream = upstream
      self.scheduler = scheduler
    }

    /// Publishes on the scheduler.
    public func receive<Target: Subscriber>(subscriber: Target)
    where Target.Input == Output, Target.Failure == Failure {
      let queue = scheduler as? DispatchQueue
      upstream.map { Traveller($0) }.receive(on: scheduler).compactMap { $0.arrive(on: queue) }
        .receive(subscriber: subscriber)
    }
  }

  /// A value in transfer to the scheduler.
  private enum Traveller<Value: ThreadConfined> {
    /// The value itself, which may be used on any thread.
    case itself(Value)
    case reference(ThreadSafeReference<Value>, Realm.Configuration)

    init(_ value: Value) {
      guard let realm = value.realm, !value.isFrozen else {
        self = .itself(value)
        return
      }
      self = .reference(ThreadSafeReference(to: value), realm.configuration)
    }

    func arrive(on queue: DispatchQueue?) -> Value? {
      switch self {
      case .itself(let value): value
      case .reference(let reference, let configuration):
        try? Realm(configuration: configuration, queue: queue).resolve(reference)
      }
    }
  }
}
#endif
