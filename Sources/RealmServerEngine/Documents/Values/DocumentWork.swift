// SPDX-License-Identifier: Apache-2.0

// The limits of calls about documents, and what a call has taken of them.

import RealmFormats
package import RealmSyncProtocol

/// The limits of calls about documents.
package struct DocumentLimits: Hashable, Sendable {
  /// The bytes of a result, about, as extended JSON.
  package var resultByteCount: Int
  /// The bytes of the documents that a sort or a group keeps.
  package var keptByteCount: Int
  /// The objects that one call changes.
  package var changedCount: Int
  /// How long a call may take. Uploads of the realm wait for one that changes documents.
  package var time: Milliseconds
  /// The stages of a pipeline.
  package var stageCount: Int
  /// The calls of an app at a time.
  package var callCount: Int
  /// The change streams of a user.
  package var streamsPerUser: Int
  /// The change streams of an app.
  package var streamCount: Int

  package init(
    resultByteCount: Int = 16 << 20, keptByteCount: Int = 64 << 20, changedCount: Int = 10_000,
    time: Milliseconds = 30_000, stageCount: Int = 100, callCount: Int = 64,
    streamsPerUser: Int = 20, streamCount: Int = 2_000
  ) {
    self.resultByteCount = resultByteCount
    self.keptByteCount = keptByteCount
    self.changedCount = changedCount
    self.time = time
    self.stageCount = stageCount
    self.callCount = callCount
    self.streamsPerUser = streamsPerUser
    self.streamCount = streamCount
  }
}

/// The work of one call, which ends it at a limit.
package struct DocumentWork: Sendable {
  package let limits: DocumentLimits
  private let now: @Sendable () -> Milliseconds
  private let end: Milliseconds
  /// The steps until the clock is read again.
  private var stepsLeft = Self.stepCount
  private var keptByteCount = 0

  /// The steps between two readings of the clock: some milliseconds.
  private static let stepCount = 1 << 14

  /// - Parameter now: A monotonic clock.
  package init(_ limits: DocumentLimits, now: @escaping @Sendable () -> Milliseconds) {
    self.limits = limits
    self.now = now
    end = now() + limits.time
  }

  /// Counts steps, each about the comparison of two values.
  mutating func spend(_ steps: Int = 1) throws(DocumentError) {
    stepsLeft -= steps
    guard stepsLeft < 0 else { return }
    stepsLeft = Self.stepCount
    guard now() <= end else { throw .tooLong }
  }

  /// Counts a document that is kept until the end of the call.
  mutating func keep(_ document: BSONValue) throws(DocumentError) {
    keptByteCount += document.approximateByteCount
    guard keptByteCount <= limits.keptByteCount else {
      throw .tooLarge("the call needs more memory than calls may: narrow it, or add a limit")
    }
  }

  /// Counts documents that are not needed any more.
  mutating func release(_ documents: [BSONValue]) {
    for document in documents { keptByteCount -= document.approximateByteCount }
  }

  /// Whether documents may be the result of a call.
  func checkResult(_ documents: [BSONValue]) throws(DocumentError) {
    var byteCount = 0
    for document in documents { byteCount += document.approximateByteCount }
    guard byteCount <= limits.resultByteCount else {
      throw .tooLarge("the result is larger than results may be: narrow the query, or add a limit")
    }
  }
}
