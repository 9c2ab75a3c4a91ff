// SPDX-License-Identifier: Apache-2.0

// The observation that a notification token of the program keeps alive.

/// An observation that continues until it is cancelled, from any thread.
package protocol Cancellable: AnyObject, Sendable {
  /// Ends the observation.
  ///
  /// - Returns: Whether it had not ended before.
  @discardableResult
  func cancel() -> Bool

  /// Ends the observation for a caller that may be elsewhere than the observer: what was committed
  /// until now is still told, and nothing after that. Where the observer is called, it ends at once.
  ///
  /// - Returns: Whether it had not ended before.
  @discardableResult
  func end() -> Bool

  /// Ends the observation, unless `end()` was called before.
  func release()

  /// The observation itself, or the one that it has become.
  var current: (any Cancellable)? { get }

  /// Whether it observes another session than `session`.
  func isForeign(to session: Session) -> Bool
}

extension Cancellable {
  package var current: (any Cancellable)? { self }

  package func end() -> Bool { cancel() }

  package func release() { cancel() }

  package func isForeign(to session: Session) -> Bool { false }
}
