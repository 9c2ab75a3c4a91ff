// SPDX-License-Identifier: Apache-2.0

// The types of subscriptions that the library's publishers hand out.

#if canImport(Combine) || OpenCombine
#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

/// The subscription to an object, a collection or a realm.
public struct ObservationSubscription: Subscription {
  private let subscription: RealmSubscription

  init(_ subscription: RealmSubscription) { self.subscription = subscription }

  /// The identity of the subscription.
  public var combineIdentifier: CombineIdentifier { CombineIdentifier(subscription) }

  /// Does nothing: values are delivered as they come.
  public func request(_ demand: Subscribers.Demand) {}

  /// Ends the observation.
  public func cancel() { subscription.cancel() }
}

/// The subscription to a realm that is being opened.
public struct AsyncOpenSubscription: Subscription {
  private let subscription: RealmSubscription

  init(_ subscription: RealmSubscription) { self.subscription = subscription }

  /// The identity of the subscription.
  public var combineIdentifier: CombineIdentifier { CombineIdentifier(subscription) }

  /// Does nothing: the realm is delivered when it is open.
  public func request(_ demand: Subscribers.Demand) {}

  /// Cancels the opening.
  public func cancel() { subscription.cancel() }
}
#endif
