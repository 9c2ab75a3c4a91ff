// SPDX-License-Identifier: Apache-2.0

// Operators that hand a publisher's values over to other threads by thread-safe references.

#if canImport(Combine) || OpenCombine
#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif
import Dispatch
#if !canImport(Combine)
import OpenCombineDispatch
#endif

extension Publisher where Output: ThreadConfined {
  /// The values as references, for `receive(on:)`, after which they are those of the scheduler's
  /// realm.
  public func threadSafeReference() -> RealmPublishers.MakeThreadSafe<Self> {
    RealmPublishers.MakeThreadSafe(upstream: self) { Parcel(confined: $0) }
  }
}

extension Publisher {
  /// The changes of an object or a projection as references, for `receive(on:)`.
  public func threadSafeReference<T: ThreadConfined>() -> RealmPublishers.MakeThreadSafe<Self>
  where Output == ObjectChange<T> {
    RealmPublishers.MakeThreadSafe(upstream: self) { Parcel(change: $0) }
  }

  /// The changes of a collection as references, for `receive(on:)`.
  public func threadSafeReference<T: RealmCollection>() -> RealmPublishers.MakeThreadSafe<Self>
  where Output == RealmCollectionChange<T> {
    RealmPublishers.MakeThreadSafe(upstream: self) { Parcel(change: $0) }
  }

  /// The changes of a map as references, for `receive(on:)`.
  public func threadSafeReference<T: RealmKeyedCollection>()
    -> RealmPublishers.MakeThreadSafe<Self>
  where Output == RealmMapChange<T> {
    RealmPublishers.MakeThreadSafe(upstream: self) { Parcel(change: $0) }
  }

  /// The changes of sections as references, for `receive(on:)`.
  public func threadSafeReference<T: RealmSectionedResult>()
    -> RealmPublishers.MakeThreadSafe<Self>
  where Output == SectionedResultsChange<T> {
    RealmPublishers.MakeThreadSafe(upstream: self) { Parcel(change: $0) }
  }
}

extension RealmPublishers {
  /// A publisher whose values are to be received on a scheduler.
  public struct MakeThreadSafe<Upstream: Publisher>: Publisher {
    /// The values of the upstream.
    public typealias Output = Upstream.Output
    /// The error of the upstream.
    public typealias Failure = Upstream.Failure

    let upstream: Upstream
    let pack: (Output) -> Parcel<Output>

    /// Publishes where the upstream does.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: subscriber)
    }

    /// The values on a scheduler. What was deleted meanwhile is left out.
    public func receive<S: Scheduler>(
      on scheduler: S, options: S.SchedulerOptions? = nil
    ) -> DeferredHandover<Upstream, S> {
      DeferredHandover(upstream: upstream, scheduler: scheduler, options: options, pack: pack)
    }
  }

  /// A publisher whose values are those of the realm on a scheduler.
  public struct DeferredHandover<Upstream: Publisher, S: Scheduler>: Publisher {
    /// The values of the upstream.
    public typealias Output = Upstream.Output
    /// The error of the upstream.
    public typealias Failure = Upstream.Failure

    let upstream: Upstream
    let scheduler: S
    let options: S.SchedulerOptions?
    let pack: (Output) -> Parcel<Output>

    /// Publishes on the scheduler.
    public func receive<Target: Subscriber>(subscriber: Target)
    where Target.Input == Output, Target.Failure == Failure {
      let queue = dispatchQueue(of: scheduler)
      upstream.map(pack).receive(on: scheduler, options: options).compactMap { $0.open(queue) }
        .receive(subscriber: subscriber)
    }
  }

  /// `DeferredHandover` for values.
  public typealias Handover<Upstream: Publisher, S: Scheduler> = DeferredHandover<Upstream, S>
  /// `MakeThreadSafe` for the changes of an object.
  public typealias MakeThreadSafeObjectChangeset<Upstream: Publisher, T: ThreadConfined> =
    MakeThreadSafe<Upstream>
  /// `MakeThreadSafe` for the changes of a collection.
  public typealias MakeThreadSafeCollectionChangeset<Upstream: Publisher, T: RealmCollection> =
    MakeThreadSafe<Upstream>
  /// `MakeThreadSafe` for the changes of a map.
  public typealias MakeThreadSafeKeyedCollectionChangeset<
    Upstream: Publisher, T: RealmKeyedCollection
  > = MakeThreadSafe<Upstream>
  /// `MakeThreadSafe` for the changes of sections.
  public typealias MakeThreadSafeSectionedChangeset<
    Upstream: Publisher, T: RealmSectionedResult
  > = MakeThreadSafe<Upstream>
  /// `MakeThreadSafe` for the changes of sections.
  public typealias MakeThreadSafeSectionedResultsChangeset<
    Upstream: Publisher, T: RealmSectionedResult
  > = MakeThreadSafe<Upstream>
  /// `DeferredHandover` for the changes of an object.
  public typealias DeferredHandoverObjectChangeset<
    Upstream: Publisher, T: ThreadConfined, S: Scheduler
  > = DeferredHandover<Upstream, S>
  /// `DeferredHandover` for the changes of a collection.
  public typealias DeferredHandoverCollectionChangeset<
    Upstream: Publisher, T: RealmCollection, S: Scheduler
  > = DeferredHandover<Upstream, S>
  /// `DeferredHandover` for the changes of a map.
  public typealias DeferredHandoverKeyedCollectionChangeset<
    Upstream: Publisher, T: RealmKeyedCollection, S: Scheduler
  > = DeferredHandover<Upstream, S>
  /// `DeferredHandover` for the changes of sections.
  public typealias DeferredHandoverSectionedChangeset<
    Upstream: Publisher, T: RealmSectionedResult, S: Scheduler
  > = DeferredHandover<Upstream, S>
  /// `DeferredHandover` for the changes of sections.
  public typealias DeferredHandoverSectionedResultsChangeset<
    Upstream: Publisher, T: RealmSectionedResult, S: Scheduler
  > = DeferredHandover<Upstream, S>
  /// `DeferredHandover` for the changes of one section.
  public typealias DeferredHandoverSectionChangeset<
    Upstream: Publisher, T: RealmSectionedResult, S: Scheduler
  > = DeferredHandover<Upstream, S>
}

/// The queue that a scheduler is; nil for others.
private func dispatchQueue(of scheduler: some Scheduler) -> DispatchQueue? {
  #if !canImport(Combine)
  if let wrapper = scheduler as? DispatchQueue.OCombine { return wrapper.queue }
  #endif
  return scheduler as? DispatchQueue
}
#endif
