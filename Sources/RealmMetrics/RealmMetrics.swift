// SPDX-License-Identifier: Apache-2.0

// Measurements of commits for swift-metrics and swift-distributed-tracing.

#if Metrics
public import CoreMetrics
import Foundation
import RealmSwift
import Tracing

/// Passes the measurements of all commits of this process on to the program's metrics and tracing.
///
/// ```swift
/// let metrics = RealmMetrics.start()   // after the bootstrap of metrics and tracing
/// ```
///
/// It ends with `stop()`, or when the value and all its copies are released. Each label has the
/// name of the file, without its directory, as the dimension `file`:
///
/// | label | kind | |
/// | --- | --- | --- |
/// | `realm_commits_total` | counter | commits |
/// | `realm_transactions_total` | counter | write transactions; several may share a commit |
/// | `realm_written_bytes_total` | counter | bytes written to the file |
/// | `realm_write_wait_seconds` | timer | time that writers waited for each other |
/// | `realm_sync_seconds` | timer | time that a commit waited for the disk |
/// | `realm_version` | gauge | newest version |
/// | `realm_active_versions` | gauge | versions that readers keep |
/// | `realm_waiting_writers` | gauge | writers that wait |
/// | `realm_file_bytes` | gauge | size of the file |
///
/// Each commit is a span `realm.commit`, a child of the span in which the write ran if the thread
/// that commits knows it, as for synchronous writes.
public struct RealmMetrics: Sendable {
  private let token: NotificationToken

  /// Begins to pass measurements on.
  ///
  /// - Parameters:
  ///   - factory: The factory of the metrics; by default the one that the program bootstrapped.
  ///   - traces: Whether commits become spans.
  public static func start(
    factory: (any MetricsFactory)? = nil, traces: Bool = true
  ) -> RealmMetrics {
    let files = FileMetrics(factory: factory ?? MetricsSystem.factory)
    return RealmMetrics(
      token: Realm.observeCommits { commit in
        files.record(commit)
        if traces { trace(commit) }
      })
  }

  /// Ends the passing of measurements.
  public func stop() { token.invalidate() }

  private static func trace(_ commit: CommitMeasurement) {
    let end = DefaultTracerClock.now.nanosecondsSinceEpoch
    let start = SpanInstant(nanosecondsSinceEpoch: end - commit.syncDuration.wholeNanoseconds)
    let span = startSpan("realm.commit", at: start, ofKind: .internal)
    span.attributes["realm.file"] = commit.fileURL.lastPathComponent
    span.attributes["realm.version"] = Int64(clamping: commit.version)
    span.attributes["realm.transactions"] = Int64(commit.transactionCount)
    span.attributes["realm.written_bytes"] = Int64(commit.writtenByteCount)
    span.attributes["realm.wait_nanoseconds"] = Int64(
      clamping: commit.waitDuration.wholeNanoseconds)
    span.end(at: SpanInstant(nanosecondsSinceEpoch: end))
  }
}

/// A time of which only the nanoseconds matter.
private struct SpanInstant: TracerInstant {
  let nanosecondsSinceEpoch: UInt64

  static func < (left: SpanInstant, right: SpanInstant) -> Bool {
    left.nanosecondsSinceEpoch < right.nanosecondsSinceEpoch
  }
}
#endif
