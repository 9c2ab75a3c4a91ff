// SPDX-License-Identifier: Apache-2.0

// Measurements of commits, for metrics and traces.

public import Foundation
import RealmSession
import RealmStorage

/// What a commit took.
///
/// A commit makes one version, or several where asynchronous writes share it.
public struct CommitMeasurement: Sendable {
  /// The file; realms in memory have a URL of their identifier.
  public let fileURL: URL
  /// The newest version that the commit made.
  public let version: UInt64
  /// The number of write transactions that it made durable.
  public let transactionCount: Int
  /// The number of bytes that they wrote to the file.
  public let writtenByteCount: Int
  /// The time that they waited together for other writers.
  public let waitDuration: Duration
  /// The time that the commit waited for the disk.
  public let syncDuration: Duration
  /// The bytes of the file that are, or were, in use.
  public let fileByteCount: Int
  /// The number of versions that realms, frozen objects and results of all processes keep.
  public let activeVersionCount: Int
  /// The number of writers of this process that wait.
  public let waitingWriterCount: Int

  init(_ report: CommitReport) {
    fileURL = URL(fileURLWithPath: report.path)
    version = report.version
    transactionCount = report.work.transactionCount
    writtenByteCount = report.work.byteCount
    waitDuration = .nanoseconds(report.work.waitNanoseconds)
    syncDuration = .nanoseconds(report.syncNanoseconds)
    fileByteCount = report.logicalSize
    activeVersionCount = report.pinnedVersionCount
    waitingWriterCount = report.waiterCount
  }
}

extension Realm {
  /// Calls `body` after each commit of this process, to any file, until the token is invalidated or
  /// released.
  ///
  /// ```swift
  /// let token = Realm.observeCommits { commit in
  ///   print("\(commit.writtenByteCount) bytes in \(commit.syncDuration)")
  /// }
  /// ```
  ///
  /// For measuring: `body` is called on the thread that committed, after the next writer was let
  /// go, and the caller of the write waits for it. It must not use realms. The product
  /// `RealmMetrics` passes the measurements on to swift-metrics and swift-distributed-tracing.
  /// Without observers, a commit pays for one read of a word.
  ///
  /// May be called on any thread.
  public static func observeCommits(
    _ body: @escaping @Sendable (CommitMeasurement) -> Void
  ) -> NotificationToken {
    NotificationToken(CommitObservation(body))
  }
}

/// The observation of commits behind a token.
private final class CommitObservation: Cancellable {
  private let number: UInt64

  init(_ body: @escaping @Sendable (CommitMeasurement) -> Void) {
    number = CommitObservers.add { body(CommitMeasurement($0)) }
  }

  var current: (any Cancellable)? { self }

  func cancel() -> Bool { CommitObservers.remove(number) }

  func isForeign(to session: Session) -> Bool { true }
}
