// SPDX-License-Identifier: Apache-2.0

// `AsyncOpenPublisher`: opens a realm in the background, and publishes it.

#if canImport(Combine) || OpenCombine
#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif
public import Dispatch

extension Realm {
  /// Opens a realm in the background for each subscriber, with all that belongs to it, such as a
  /// migration, and publishes it on the main queue, or on that of `receive(on:)`.
  public static func asyncOpen(
    configuration: Configuration = .defaultConfiguration
  ) -> RealmPublishers.AsyncOpenPublisher {
    RealmPublishers.AsyncOpenPublisher(configuration)
  }
}

extension RealmPublishers {
  /// Opens a realm in the background for each subscriber, publishes it, and finishes. Cancelling
  /// the subscription cancels the open.
  public struct AsyncOpenPublisher: Publisher {
    /// The realm, for the queue on which it is published.
    public typealias Output = Realm
    /// The error of opening.
    public typealias Failure = any Error

    private let configuration: Realm.Configuration
    private var queue = DispatchQueue.main
    /// Takes the progress of the download.
    var progress: (@Sendable (TransferProgress) -> Void)?

    init(_ configuration: Realm.Configuration) { self.configuration = configuration }

    /// Opens the realm for a serial queue, and publishes it there.
    public func receive(on queue: DispatchQueue) -> AsyncOpenPublisher {
      var publisher = self
      publisher.queue = queue
      return publisher
    }

    /// The realm of the scheduler's thread, once it was opened in the background.
    public func receive<S: Scheduler>(
      on scheduler: S, options: S.SchedulerOptions? = nil
    ) -> DeferredHandover<AsyncOpenPublisher, S> {
      let configuration = configuration
      return DeferredHandover(upstream: self, scheduler: scheduler, options: options) { opened in
        Parcel { queue in
          // What was opened is kept until then.
          withExtendedLifetime(opened) { try? Realm(configuration: configuration, queue: queue) }
        }
      }
    }

    /// Begins to open for a subscriber.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Realm, S.Failure == any Error {
      let subscription = RealmSubscription()
      subscriber.receive(subscription: AsyncOpenSubscription(subscription))
      subscription.begin {
        let task = Realm.asyncOpen(configuration: configuration, callbackQueue: queue) { result in
          guard subscription.end() else { return }
          switch result {
          case .success(let realm):
            _ = subscriber.receive(realm)
            subscriber.receive(completion: .finished)
          case .failure(let error): subscriber.receive(completion: .failure(error))
          }
        }
        if let progress { task.addHandler(queue, progress) }
        return AnyCancellable(task.cancel)
      }
    }
  }
}
#endif
