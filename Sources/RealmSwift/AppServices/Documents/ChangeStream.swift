// SPDX-License-Identifier: Apache-2.0

// Changes of collections as they happen.

/// Takes the events of a `ChangeStream`.
public protocol ChangeEventDelegate: AnyObject {
  func changeStreamDidOpen(_ changeStream: ChangeStream)
  func changeStreamDidReceive(changeEvent: AnyBSON?)
  func changeStreamDidReceive(error: any Error)
  func changeStreamDidClose()
}

/// The changes of a collection, until it is closed.
public final class ChangeStream: Sendable {
  init() {}

  /// Ends the events.
  public func close() {}
}
