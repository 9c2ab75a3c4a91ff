// SPDX-License-Identifier: Apache-2.0

// The changes of a collection as publishers.

#if Sync
#if canImport(Combine) || OpenCombine
#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif
public import Dispatch
import RealmFormats
import RealmSession
import RealmSyncProtocol

extension Publishers {
  /// Publishes the events of a collection, until the subscription is cancelled or the server ends
  /// it. Each subscriber has a stream of its own.
  ///
  /// Events come on the main queue, or on that of `subscribe(on:)`.
  public struct WatchPublisher: Publisher {
    /// A document: what happened, and to which document.
    public typealias Output = AnyBSON
    /// The error that ended the stream.
    public typealias Failure = any Error

    private let caller: any MongoCaller
    private let arguments: [BSONElement]
    private var schedule: Schedule = scheduling(on: .main)
    private var opened: (@Sendable () -> Void)?

    init(_ caller: any MongoCaller, _ arguments: [BSONElement]) {
      self.caller = caller
      self.arguments = arguments
    }

    /// Calls a block when the stream of a subscriber is open: later changes come.
    public func onOpen(_ event: @escaping @Sendable () -> Void) -> WatchPublisher {
      var publisher = self
      publisher.opened = event
      return publisher
    }

    /// The events on a serial queue.
    public func subscribe(on queue: DispatchQueue) -> WatchPublisher {
      var publisher = self
      publisher.schedule = scheduling(on: queue)
      return publisher
    }

    /// The events on a scheduler.
    public func subscribe<S: Scheduler>(on scheduler: S) -> WatchPublisher {
      var publisher = self
      publisher.schedule = scheduling(on: scheduler)
      return publisher
    }

    /// Begins to watch for a subscriber.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == AnyBSON, S.Failure == any Error {
      let subscription = RealmSubscription()
      subscriber.receive(subscription: ObservationSubscription(subscription))
      let (caller, arguments, schedule, opened) = (caller, arguments, schedule, opened)
      // The subscriber is called by its scheduler alone.
      let receive = UnsafeTransfer({ (event: AnyBSON) in _ = subscriber.receive(event) })
      let complete = UnsafeTransfer({ (error: (any Error)?) in
        subscriber.receive(completion: error.map { .failure($0) } ?? .finished)
      })
      subscription.begin {
        let task = Task { [weak subscription] in
          var problem: (any Error)?
          do throws(AppFailure) {
            try await caller.watch(arguments) { [weak subscription] in
              schedule { [weak subscription] in
                if subscription?.isEnded == false { opened?() }
              }
            } _: { [weak subscription] event in
              let event = AnyBSON(event)
              schedule { [weak subscription] in
                if subscription?.isEnded == false { receive.value(event) }
              }
            }
          } catch { problem = AppError.of(error) }
          let end = problem
          schedule { [weak subscription] in
            if subscription?.end() == true { complete.value(end) }
          }
        }
        return AnyCancellable(task.cancel)
      }
    }
  }
}

extension MongoCollection {
  /// Publishes the changes of all documents that the user may read.
  ///
  /// ```swift
  /// todos.watch().onOpen { print("open") }.sink { _ in } receiveValue: { print($0) }
  /// ```
  public func watch() -> Publishers.WatchPublisher { publisher([]) }

  /// Publishes the changes of the documents with some ids.
  public func watch(filterIds: [ObjectId]) -> Publishers.WatchPublisher {
    publisher([Self.ids(filterIds)])
  }

  /// Publishes the changes whose events match a filter: a field of the document is
  /// `fullDocument.name`.
  public func watch(matchFilter: Document) -> Publishers.WatchPublisher {
    publisher([BSONElement("filter", matchFilter.bson)])
  }

  private func publisher(_ arguments: [BSONElement]) -> Publishers.WatchPublisher {
    Publishers.WatchPublisher(caller, place + arguments)
  }
}
#endif
#endif
