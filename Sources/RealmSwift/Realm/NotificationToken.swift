// SPDX-License-Identifier: Apache-2.0

// `NotificationToken`: keeps an observation going until it is invalidated or released.

import RealmSession

/// Keeps an observation going: notifications stop when the token is invalidated or goes away.
///
/// A token may be kept and invalidated on any thread. After `invalidate()` has returned where the
/// observation delivers, no further call happens.
public final class NotificationToken: Sendable {
  let cancellable: (any Cancellable)?

  init(_ cancellable: (any Cancellable)?) { self.cancellable = cancellable }

  /// Creates a token without an observation, as an initial value to be replaced.
  public convenience init() { self.init(nil) }

  deinit { cancellable?.cancel() }

  /// Ends the observation.
  ///
  /// - Returns: Whether it was going on until now.
  @discardableResult
  public func invalidate() -> Bool { cancellable?.cancel() ?? false }

  /// Whether its observer belongs to another realm than `core`.
  func isForeign(to core: RealmCore) -> Bool { cancellable?.isForeign(to: core) ?? false }
}
