// SPDX-License-Identifier: Apache-2.0

// The memory of triggers beyond the life of a server.

#if Server
package import RealmServerEngine
package import RealmSyncProtocol

/// How far a trigger has come in a realm.
package struct TriggerPosition: Hashable, Sendable {
  /// The version whose events are all delivered; 0 before the first.
  package var version: UInt64
  /// The salt of the version.
  package var salt: UInt64
  /// The delivered events of the next version.
  package var eventCount: Int

  package init(version: UInt64 = 0, salt: UInt64 = 0, eventCount: Int = 0) {
    self.version = version
    self.salt = salt
    self.eventCount = eventCount
  }

  init(_ head: RealmHead) { self.init(version: head.version, salt: head.salt) }
}

/// The memory of a trigger.
package struct TriggerRecord: Hashable, Sendable {
  /// Whether a trigger runs.
  package enum State: String, Hashable, Sendable {
    case active
    case suspended
    case disabled
  }

  /// A wish of an operator.
  package enum Request: String, CaseIterable, Hashable, Sendable {
    case suspend
    /// Go on where the trigger has stopped.
    case position
    /// Go on with the changes from now on.
    case now
    /// Go on with the oldest known event.
    case start
  }

  package let name: String
  /// The subject of its position.
  package var subject: String
  package var state = State.active
  /// The reason of a suspension, or the last failure.
  package var error: String?
  package var errorTime: OriginTimestamp?
  /// Since when it does not run; nil while it does.
  package var stopped: OriginTimestamp?
  /// The number of the last event about a user, or the minute of the last run of a schedule.
  package var number: Int64 = 0
  package var request: Request?

  package init(_ name: String, subject: String) {
    self.name = name
    self.subject = subject
  }

  /// Whether the trigger is one on changes of a class.
  var isAboutChanges: Bool { subject.hasPrefix("database ") }
}

/// Keeps the records and positions of an app's triggers. What a call has changed is durable when it
/// returns.
package protocol TriggerStore: Sendable {
  /// The right to run the triggers; nil where no other server can have it.
  nonisolated var lease: (any TriggerLease)? { get }

  /// Has an element soon after other servers have changed the records, and one at the beginning.
  nonisolated func news() -> AsyncStream<Void>

  /// The records of all triggers, by their names.
  func records() async throws(StoreError) -> [TriggerRecord]

  /// Stores a record, with positions in place of all others of the trigger unless they are nil.
  func put(
    _ record: TriggerRecord, positions: [RealmID: TriggerPosition]?
  ) async throws(StoreError)

  /// Removes all of a trigger.
  func remove(_ trigger: String) async throws(StoreError)

  /// The position in a realm; nil if there is none: the realm is newer than the trigger.
  func position(
    of trigger: String, in realm: RealmID
  ) async throws(StoreError) -> TriggerPosition?

  /// Stores some positions of a trigger.
  func set(
    _ positions: [RealmID: TriggerPosition], of trigger: String
  ) async throws(StoreError)

  /// Notes the wish of an operator; returns false if there is no such trigger.
  func ask(
    _ request: TriggerRecord.Request, of trigger: String
  ) async throws(StoreError) -> Bool

  /// Stores the number of a trigger's record.
  func set(number: Int64, of trigger: String) async throws(StoreError)
}

extension TriggerStore {
  package nonisolated var lease: (any TriggerLease)? { nil }

  package nonisolated func news() -> AsyncStream<Void> { AsyncStream { $0.finish() } }
}

/// The right to run the triggers of an app, which one of several servers has at a time.
package protocol TriggerLease: Sendable {
  /// The time between two attempts to take it, or to renew it.
  nonisolated var interval: Milliseconds { get }

  /// Whether this server has it, as far as it knows.
  nonisolated var isHeld: Bool { get }

  /// Takes it. Returns false while another server has it.
  func take() async throws(StoreError) -> Bool

  /// Renews it. Returns whether this server has it still.
  func renew() async -> Bool

  /// Lets another server take it at once.
  func giveUp() async
}
#endif
