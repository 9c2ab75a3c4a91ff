// SPDX-License-Identifier: Apache-2.0

// How a trigger does, for operators.

package import RealmSyncProtocol

/// The state of a trigger.
package struct TriggerStatus: Hashable, Sendable {
  package let name: String
  /// "database", "authentication" or "scheduled".
  package let kind: String
  package var state = TriggerRecord.State.active
  /// Why it is suspended, or what has failed last; nil if nothing has.
  package var error: String?
  package var errorTime: OriginTimestamp?
  /// The events that were delivered since the start of the server.
  package var delivered = 0
  /// The calls that failed since then.
  package var failed = 0
  /// The events that were left out since then.
  package var skipped = 0
  package var lastDelivery: OriginTimestamp?
  /// The calls of the present event that failed already.
  package var attempt = 0
  /// The realms with changes that were not looked at yet.
  package var pendingRealms = 0
  /// The versions of the realm at work that are not delivered yet; of a trigger on users, events.
  package var behind: UInt64 = 0
  /// The next run of a schedule.
  package var nextRun: OriginTimestamp?

  init(_ settings: TriggerSettings) {
    name = settings.name
    kind = settings.kind.name
  }
}
