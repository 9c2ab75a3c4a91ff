// SPDX-License-Identifier: Apache-2.0

// What keeps an observation going.

/// Keeps an observation going: notifications stop when the token is invalidated or goes away.
///
/// A token may be kept and invalidated anywhere. After `invalidate()` has returned where the
/// observation delivers, no further call happens.
public final class NotificationToken: Sendable {
  private let cancellable: (any Cancellable)?

  init(_ cancellable: (any Cancellable)?) { self.cancellable = cancellable }

  /// Creates a token that keeps nothing going, to be replaced by one that does.
  public convenience init() { self.init(nil) }

  deinit { cancellable?.cancel() }

  /// Ends the observation.
  ///
  /// - Returns: Whether it was going on until now.
  @discardableResult
  public func invalidate() -> Bool { cancellable?.cancel() ?? false }

  /// The observer of a collection or an object that the token stands for, if it is one.
  var observation: Observation? { cancellable?.current as? Observation }

  /// The observer of a realm that the token stands for, if it is one.
  var realmObservation: RealmObservation? { cancellable as? RealmObservation }

  /// Whether that observer belongs to another realm than `core`.
  func isForeign(to core: RealmCore) -> Bool { cancellable?.isForeign(to: core) ?? false }
}

/// Something that goes on until it is cancelled, from any thread.
protocol Cancellable: AnyObject, Sendable {
  /// Ends it; whether it was going on until now.
  @discardableResult
  func cancel() -> Bool

  /// What goes on now: itself, or what it has become.
  var current: (any Cancellable)? { get }

  /// Whether it observes collections or objects of another realm than `core`.
  func isForeign(to core: RealmCore) -> Bool
}

extension Cancellable {
  var current: (any Cancellable)? { self }

  func isForeign(to core: RealmCore) -> Bool { false }
}
