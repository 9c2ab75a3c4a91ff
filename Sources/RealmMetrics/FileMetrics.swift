// SPDX-License-Identifier: Apache-2.0

// The metrics of each file.

#if Metrics
import CoreMetrics
import Foundation
import RealmSwift
import Synchronization

/// The metrics of all files that commits were made to.
final class FileMetrics: Sendable {
  private struct Labels: Sendable {
    let commits: Counter
    let transactions: Counter
    let writtenBytes: Counter
    let wait: CoreMetrics.Timer
    let sync: CoreMetrics.Timer
    let version: Gauge
    let activeVersions: Gauge
    let waitingWriters: Gauge
    let fileBytes: Gauge

    init(_ file: String, _ factory: any MetricsFactory) {
      let dimensions = [("file", file)]
      func counter(_ label: String) -> Counter {
        Counter(label: label, dimensions: dimensions, factory: factory)
      }
      func timer(_ label: String) -> CoreMetrics.Timer {
        Timer(label: label, dimensions: dimensions, factory: factory)
      }
      func gauge(_ label: String) -> Gauge {
        Gauge(label: label, dimensions: dimensions, factory: factory)
      }
      commits = counter("realm_commits_total")
      transactions = counter("realm_transactions_total")
      writtenBytes = counter("realm_written_bytes_total")
      wait = timer("realm_write_wait_seconds")
      sync = timer("realm_sync_seconds")
      version = gauge("realm_version")
      activeVersions = gauge("realm_active_versions")
      waitingWriters = gauge("realm_waiting_writers")
      fileBytes = gauge("realm_file_bytes")
    }
  }

  private let factory: any MetricsFactory
  private let known = Mutex<[String: Labels]>([:])

  init(factory: any MetricsFactory) { self.factory = factory }

  func record(_ commit: CommitMeasurement) {
    let labels = labels(of: commit.fileURL.lastPathComponent)
    labels.commits.increment()
    labels.transactions.increment(by: commit.transactionCount)
    labels.writtenBytes.increment(by: commit.writtenByteCount)
    labels.wait.recordNanoseconds(Int64(clamping: commit.waitDuration.wholeNanoseconds))
    labels.sync.recordNanoseconds(Int64(clamping: commit.syncDuration.wholeNanoseconds))
    labels.version.record(Int64(clamping: commit.version))
    labels.activeVersions.record(commit.activeVersionCount)
    labels.waitingWriters.record(commit.waitingWriterCount)
    labels.fileBytes.record(commit.fileByteCount)
  }

  private func labels(of file: String) -> Labels {
    if let labels = known.withLock({ $0[file] }) { return labels }
    // The factory is the program's code, so it is called without the lock; the first one stays.
    let made = Labels(file, factory)
    return known.withLock { known in
      if let labels = known[file] { return labels }
      known[file] = made
      return made
    }
  }
}

extension Duration {
  /// The duration in nanoseconds; durations here are never negative.
  var wholeNanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
  }
}
#endif
