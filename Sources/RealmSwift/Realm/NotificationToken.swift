// SPDX-License-Identifier: Apache-2.0

// `NotificationToken`: keeps an observation going until it is invalidated or released.

import RealmSession

/// Keeps an observation going: notifications stop when the token is invalidated or goes away.
///
/// A token may be kept and invalidated on any thread. After `invalidate()` has returned where the
/// observation delivers, no further call happens. Elsewhere, what was committed before the call is
/// still delivered, and nothing after that.
public final class NotificationToken: Hashable, Sendable {
  let cancellable: (any Cancellable)?

  init(_ cancellable: (any Cancellable)?) { self.cancellable = cancellable }

  /// Creates a token without an observation, as an initial value to be replaced.
  public convenience init() { self.init(nil) }

  deinit { cancellable?.release() }

  /// Ends the observation.
  ///
  /// - Returns: Whether it was going on until now.
  @discardableResult
  public func invalidate() -> Bool { cancellable?.end() ?? false }

  /// Ends the observation at once, wherever its observer is called.
  func endNow() { cancellable?.cancel() }

  /// Whether both are the same token.
  public static func == (left: NotificationToken, right: NotificationToken) -> Bool {
    left === right
  }

  /// Feeds the identity of the token to `hasher`.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  /// Whether its observer belongs to another realm than `core`.
  func isForeign(to core: RealmCore) -> Bool { cancellable?.isForeign(to: core) ?? false }
}
