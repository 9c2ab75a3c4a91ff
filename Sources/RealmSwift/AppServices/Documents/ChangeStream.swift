// SPDX-License-Identifier: Apache-2.0

// Changes of collections as they happen.

/// Takes the events of a `ChangeStream`.
public protocol ChangeEventDelegate: AnyObject {
  /// Is called when the stream is open.
  func changeStreamDidOpen(_ changeStream: ChangeStream)
  /// Is called with each event.
  func changeStreamDidReceive(changeEvent: AnyBSON?)
  /// Is called with what went wrong.
  func changeStreamDidReceive(error: any Error)
  /// Is called when the stream has ended.
  func changeStreamDidClose()
}

/// The changes of a collection, until it is closed.
public final class ChangeStream: Sendable {
  init() {}

  /// Ends the events.
  public func close() {}
}
