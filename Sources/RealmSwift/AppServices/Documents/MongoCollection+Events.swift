// SPDX-License-Identifier: Apache-2.0

// The changes of a collection as asynchronous sequences.

#if Sync
import RealmFormats

extension MongoCollection {
  /// The changes of all documents that the user may read, from the first `next()` on.
  ///
  /// ```swift
  /// for try await event in todos.changeEvents { print(event) }
  /// ```
  public var changeEvents: AsyncThrowingStream<AnyBSON, any Error> { events([], {}) }

  /// The changes of all documents that the user may read.
  ///
  /// - Parameter onOpen: Called on any thread when the stream is open.
  public func changeEvents(
    onOpen: @escaping @Sendable () -> Void
  ) -> AsyncThrowingStream<AnyBSON, any Error> {
    events([], onOpen)
  }

  /// The changes whose events match a filter.
  ///
  /// - Parameters:
  ///   - matchFilter: A filter of the fields of events.
  ///   - onOpen: Called on any thread when the stream is open.
  public func changeEvents(
    matchFilter: Document, onOpen: @escaping @Sendable () -> Void = {}
  ) -> AsyncThrowingStream<AnyBSON, any Error> {
    events([.init("filter", matchFilter.bson)], onOpen)
  }

  /// The changes of the documents with some ids.
  ///
  /// - Parameters:
  ///   - filterIds: The ids of the documents.
  ///   - onOpen: Called on any thread when the stream is open.
  public func changeEvents(
    filterIds: [ObjectId], onOpen: @escaping @Sendable () -> Void = {}
  ) -> AsyncThrowingStream<AnyBSON, any Error> {
    events([Self.ids(filterIds)], onOpen)
  }
}
#endif
