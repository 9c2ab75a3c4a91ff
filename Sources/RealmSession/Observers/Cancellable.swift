// SPDX-License-Identifier: Apache-2.0

// What a token of the program keeps going.

/// Something that goes on until it is cancelled, from any thread.
package protocol Cancellable: AnyObject, Sendable {
  /// Ends it.
  ///
  /// - Returns: Whether it was going on until now.
  @discardableResult
  func cancel() -> Bool

  /// What goes on now: itself, or what it has become.
  var current: (any Cancellable)? { get }

  /// Whether it observes another session than `session`.
  func isForeign(to session: Session) -> Bool
}

extension Cancellable {
  package var current: (any Cancellable)? { self }

  package func isForeign(to session: Session) -> Bool { false }
}
