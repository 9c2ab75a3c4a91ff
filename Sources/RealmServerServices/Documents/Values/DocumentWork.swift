// SPDX-License-Identifier: Apache-2.0

// The limits of calls about documents, and what a call has taken of them.

#if Server
import RealmFormats
package import RealmSyncProtocol

/// The limits of calls about documents.
package struct DocumentLimits: Hashable, Sendable {
  /// The bytes of a result, about, as extended JSON.
  package var resultByteCount: Int
  /// The bytes of the documents that a sort or a group keeps.
  package var keptByteCount: Int
  /// The bytes of a value that an expression, a stage or an update makes, with those of what it is
  /// made of. What several values share counts each time.
  package var valueByteCount: Int
  /// The objects that one call changes.
  package var changedCount: Int
  /// How long a call may take.
  package var time: Milliseconds
  /// How long a call may search in its turn to write: uploads of the realm wait for it.
  package var turnTime: Milliseconds
  /// The stages of a pipeline.
  package var stageCount: Int
  /// The calls of an app's users at a time, with those that wait; as many of its own program.
  package var callCount: Int
  /// The calls of a user at a time, with those that wait.
  package var callsPerUser: Int
  /// The calls of a user that are carried out at a time.
  package var runningPerUser: Int
  /// The change streams of a user.
  package var streamsPerUser: Int
  /// The change streams of an app.
  package var streamCount: Int

  package init(
    resultByteCount: Int = 16 << 20, keptByteCount: Int = 64 << 20,
    valueByteCount: Int = 16 << 20, changedCount: Int = 10_000, time: Milliseconds = 30_000,
    turnTime: Milliseconds = 50, stageCount: Int = 100, callCount: Int = 512,
    callsPerUser: Int = 16, runningPerUser: Int = 2, streamsPerUser: Int = 20,
    streamCount: Int = 2_000
  ) {
    self.resultByteCount = resultByteCount
    self.keptByteCount = keptByteCount
    self.valueByteCount = valueByteCount
    self.changedCount = changedCount
    self.time = time
    self.stageCount = stageCount
    self.turnTime = turnTime
    self.callCount = callCount
    self.callsPerUser = callsPerUser
    self.runningPerUser = runningPerUser
    self.streamsPerUser = streamsPerUser
    self.streamCount = streamCount
  }
}

/// The work of one call, which ends it at a limit.
package struct DocumentWork: Sendable {
  package let limits: DocumentLimits
  private let now: @Sendable () -> Milliseconds
  private var end: Milliseconds
  /// The steps until the clock is read again.
  private var stepsLeft = Self.stepCountMax
  private var stepCount = Self.stepCountMax
  private var keptByteCount = 0
  /// The bytes of what was made for the value that is being computed.
  private(set) var madeByteCount = 0

  /// The steps between two readings of the clock: some milliseconds.
  private static let stepCountMax = 1 << 14
  private static let turnStepCount = 1 << 11

  /// For values that are small: it never ends.
  static let endless = DocumentWork(DocumentLimits(time: .max), now: { 0 })

  /// - Parameter now: A monotonic clock.
  package init(_ limits: DocumentLimits, now: @escaping @Sendable () -> Milliseconds) {
    self.limits = limits
    self.now = now
    end = now() + limits.time
  }

  /// The same work from now on, in the time of a turn to write.
  func inTurn() -> DocumentWork {
    var work = self
    work.end = now() + limits.turnTime
    // The clock is asked more often, as there is less time.
    (work.stepsLeft, work.stepCount) = (0, Self.turnStepCount)
    return work
  }

  /// Counts steps, each about the comparison of two values.
  mutating func spend(_ steps: Int = 1) throws(DocumentError) {
    stepsLeft -= steps
    guard stepsLeft < 0 else { return }
    stepsLeft = stepCount
    guard now() <= end else { throw .tooLong }
  }

  /// Counts a document that is kept until the end of the call, or until it is released.
  ///
  /// - Returns: The bytes that were counted.
  @discardableResult
  mutating func keep(_ document: BSONValue) throws(DocumentError) -> Int {
    let count = document.approximateByteCount(upTo: limits.keptByteCount - keptByteCount)
    guard let count else {
      throw .tooLarge("the call needs more memory than calls may: narrow it, or add a limit")
    }
    try spend(1 + count / Self.byteCountOfStep)
    keptByteCount += count
    return count
  }

  /// Counts documents that are not needed any more.
  mutating func release(_ documents: [BSONValue]) {
    for document in documents { release(byteCount: document.approximateByteCount) }
  }

  /// Counts what is not needed any more.
  mutating func release(byteCount: Int) { keptByteCount -= byteCount }

  // MARK: Values that are made

  /// Counts a value that was made of others, with all of its parts: one that has another twice is
  /// twice as large, and takes twice the time to walk, though the memory is shared.
  mutating func make(_ value: BSONValue) throws(DocumentError) {
    let left = limits.valueByteCount - madeByteCount
    guard let count = value.approximateByteCount(upTo: left) else { throw valueIsTooLarge }
    guard value.isNested(atMost: Self.depthMax) else {
      throw .tooLarge("a value of the call is nested more than \(Self.depthMax) levels deep")
    }
    try make(byteCount: count)
  }

  /// Counts the bytes of a part of a value that is made.
  mutating func make(byteCount: Int) throws(DocumentError) {
    try spend(1 + byteCount / Self.byteCountOfStep)
    madeByteCount += byteCount
    guard madeByteCount <= limits.valueByteCount else { throw valueIsTooLarge }
  }

  /// Forgets what was made since `madeByteCount` was `mark`: it is not needed any more.
  mutating func forgetMade(since mark: Int) { madeByteCount = mark }

  private var valueIsTooLarge: DocumentError {
    .tooLarge(
      "a value of the call is larger than \(limits.valueByteCount) bytes: make smaller ones")
  }

  /// The levels of a value that is made.
  private static let depthMax = 100
  /// The bytes that are walked in the time of a step.
  private static let byteCountOfStep = 64

  /// Whether documents may be the result of a call.
  mutating func checkResult(_ documents: [BSONValue]) throws(DocumentError) {
    var left = limits.resultByteCount
    for document in documents {
      guard let count = document.approximateByteCount(upTo: max(0, left)) else {
        left = -1
        break
      }
      left -= count + document.escapedByteCount
      try spend(1 + count / (Self.byteCountOfStep / 2))
    }
    guard left >= 0 else {
      throw .tooLarge("the result is larger than results may be: narrow the query, or add a limit")
    }
  }
}
#endif
