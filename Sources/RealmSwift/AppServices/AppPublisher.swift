// SPDX-License-Identifier: Apache-2.0

// Apps and users as observable objects.

#if Sync
#if canImport(Combine) || OpenCombine
#if canImport(Combine)
public import Combine
#else
public import OpenCombine
import OpenCombineDispatch
#endif
import Dispatch
import RealmSession
import RealmSync

/// The subscription to an app.
public struct AppSubscription: Subscription {
  private let subscription: RealmSubscription

  init(_ subscription: RealmSubscription) { self.subscription = subscription }

  /// The identity of the subscription.
  public var combineIdentifier: CombineIdentifier { CombineIdentifier(subscription) }

  /// Does nothing: changes are delivered as they come.
  public func request(_ demand: Subscribers.Demand) {}

  /// Ends the subscription.
  public func cancel() { subscription.cancel() }
}

/// The subscription to a user.
public struct UserSubscription: Subscription {
  private let subscription: RealmSubscription

  init(_ subscription: RealmSubscription) { self.subscription = subscription }

  /// The identity of the subscription.
  public var combineIdentifier: CombineIdentifier { CombineIdentifier(subscription) }

  /// Does nothing: changes are delivered as they come.
  public func request(_ demand: Subscribers.Demand) {}

  /// Ends the subscription.
  public func cancel() { subscription.cancel() }
}

/// Publishes an app after its users have changed: one logged in or out, was removed, or became the
/// current one.
public struct AppPublisher: Publisher {
  /// The app.
  public typealias Output = App
  /// There is no failure.
  public typealias Failure = Never

  private let app: App
  private let schedule: Schedule

  init(_ app: App, _ schedule: @escaping Schedule) {
    self.app = app
    self.schedule = schedule
  }

  /// Begins to observe for a subscriber.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == App, S.Failure == Never {
    let subscription = RealmSubscription()
    subscriber.receive(subscription: AppSubscription(subscription))
    let app = app
    subscription.follow(app.core.client.observers, on: schedule) { _ = subscriber.receive(app) }
  }

  /// The same on a scheduler.
  public func receive<S: Scheduler>(on scheduler: S) -> AppPublisher {
    AppPublisher(app, scheduling(on: scheduler))
  }
}

/// Publishes a user after each change: of the session, the tokens with the custom data, the profile
/// or the ways to log in. It publishes on the thread of the change.
public final class UserPublisher: Publisher {
  /// The user.
  public typealias Output = User
  /// There is no failure.
  public typealias Failure = Never

  private let user: User

  init(_ user: User) { self.user = user }

  /// Begins to observe for a subscriber.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == User, S.Failure == Never {
    let subscription = RealmSubscription()
    subscriber.receive(subscription: UserSubscription(subscription))
    let user = user
    subscription.follow(user.user.observers, on: { $0() }) { _ = subscriber.receive(user) }
  }
}

extension App: ObservableObject {
  /// Publishes the app on the main queue, after its users have changed.
  public var objectWillChange: AppPublisher { AppPublisher(self, scheduling(on: .main)) }
}

extension User: ObservableObject {
  /// Publishes the user on the main queue, after it has changed.
  public var objectWillChange: AnyPublisher<User, Never> {
    #if canImport(Combine)
    UserPublisher(self).receive(on: DispatchQueue.main).eraseToAnyPublisher()
    #else
    UserPublisher(self).receive(on: DispatchQueue.main.ocombine).eraseToAnyPublisher()
    #endif
  }
}

extension RealmSubscription {
  /// Calls `body` on a scheduler after each change, until the subscription ends.
  fileprivate func follow(
    _ observers: ChangeObservers, on schedule: @escaping Schedule, _ body: @escaping () -> Void
  ) {
    begin {
      // The subscriber is called by its scheduler alone.
      let body = UnsafeTransfer(body)
      let number = observers.add { [weak self] in
        schedule { [weak self] in if self?.isEnded == false { body.value() } }
      }
      return AnyCancellable { observers.remove(number) }
    }
  }
}

/// Lets code run somewhere, soon or at once.
typealias Schedule = @Sendable (_ body: @escaping @Sendable () -> Void) -> Void

/// Runs code on a queue.
func scheduling(on queue: DispatchQueue) -> Schedule { { queue.async(execute: $0) } }

/// Runs code on a scheduler.
func scheduling(on scheduler: some Scheduler) -> Schedule {
  // Schedulers are used from any thread: that is what they are for.
  let run = UnsafeTransfer({ (body: @escaping @Sendable () -> Void) in scheduler.schedule(body) })
  return { run.value($0) }
}
#endif
#endif
