// SPDX-License-Identifier: Apache-2.0

// Changes of collections as they happen.

#if Sync
/// Takes the events of a `ChangeStream`.
public protocol ChangeEventDelegate: AnyObject {
  /// The stream is open.
  func changeStreamDidOpen(_ changeStream: ChangeStream)
  /// A document was changed.
  func changeStreamDidReceive(changeEvent: AnyBSON?)
  /// The stream failed, and is closed.
  func changeStreamDidReceive(error: any Error)
  /// The stream is closed.
  func changeStreamDidClose()
}

/// The changes of a collection, until it is closed.
public final class ChangeStream: Sendable {
  init() {}

  /// Ends the events.
  public func close() {}
}
#endif
