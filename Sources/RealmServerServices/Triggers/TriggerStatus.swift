// SPDX-License-Identifier: Apache-2.0

// How a trigger does, for operators.

#if Server
package import RealmSyncProtocol

/// The state of a trigger.
package struct TriggerStatus: Hashable, Sendable {
  package let name: String
  /// "database", "authentication" or "scheduled".
  package let kind: String
  package var state = TriggerRecord.State.active
  /// The reason of a suspension, or the last failure; nil if there was none.
  package var error: String?
  package var errorTime: OriginTimestamp?
  /// The delivered events since the start of the server.
  package var delivered = 0
  /// The failed calls since then.
  package var failed = 0
  /// The events left out since then.
  package var skipped = 0
  package var lastDelivery: OriginTimestamp?
  /// The failed calls of the present event.
  package var attempt = 0
  /// The waiting realms with changes.
  package var pendingRealms = 0
  /// The undelivered versions of the realm at work; of a trigger on users, events.
  package var behind: UInt64 = 0
  /// The next run of a schedule.
  package var nextRun: OriginTimestamp?

  init(_ settings: TriggerSettings) {
    name = settings.name
    kind = settings.kind.name
  }
}
#endif
