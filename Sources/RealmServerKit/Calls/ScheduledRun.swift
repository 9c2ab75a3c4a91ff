// SPDX-License-Identifier: Apache-2.0

// What a trigger by time hands to the app's code.

#if Server
public import Foundation
import RealmSwift

/// A run of a schedule.
public struct ScheduledRun: Sendable {
  /// The minute of the schedule.
  public let scheduledTime: Date
  /// When the run began.
  public let time: Date
  /// The number of this attempt, from 1.
  public let attempt: Int

  init(_ event: Document) {
    scheduledTime = event.value("scheduledTime")?.dateValue ?? Date(timeIntervalSince1970: 0)
    time = event.value("time")?.dateValue ?? scheduledTime
    attempt = event.value("attempt")?.asInt() ?? 1
  }
}
#endif
