// SPDX-License-Identifier: Apache-2.0

// The observation that a notification token of the program keeps alive.

/// An observation that continues until it is cancelled, from any thread.
package protocol Cancellable: AnyObject, Sendable {
  /// Ends the observation.
  ///
  /// - Returns: Whether it had not ended before.
  @discardableResult
  func cancel() -> Bool

  /// Ends the observation: in the observer's confinement at once, elsewhere after the observer was
  /// notified of all commits until now.
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
