// SPDX-License-Identifier: Apache-2.0

// A reset of a simulated device's file.

import RealmStorage
package import RealmSync
import RealmSyncProtocol

/// The download of a fresh copy, as a task of a `SyncNetwork`.
final class SimulatedReset {
  let cause: ResetCause
  let wanted: ResetMode
  /// Whether the session is to be resumed when a cancelled reset is over.
  var resumesWhenOver = false
  private let result = Locked<Result<DatabaseFile, ResetError>?>(nil)
  private var task: Task<Void, Never>?

  init(_ wanted: ResetMode, _ cause: ResetCause) {
    self.wanted = wanted
    self.cause = cause
  }

  /// Begins the download.
  func begin(_ download: FreshCopyDownload, on executor: ManualExecutor) {
    task = Task(executorPreference: executor) { [result] in
      let end: Result<DatabaseFile, ResetError>
      do throws(ResetError) {
        end = .success(try await download.run())
      } catch {
        end = .failure(error)
      }
      result.withLock { $0 = end }
    }
  }

  /// The end of the download; nil while it goes on.
  var end: Result<DatabaseFile, ResetError>? { result.withLock { $0 } }

  /// Ends the reset, unless the fresh copy is there.
  func cancel() { task?.cancel() }
}

/// The remaining steps until a reset has succeeded.
enum ResetWatch {
  /// Everything is to be uploaded; a wait with this number reports it.
  case upload(UInt64)
  /// Everything is to be downloaded.
  case download(UInt64)
}

/// How often the resets of a device ended in each way.
package struct ResetCounts: Hashable, Sendable {
  /// The causes by the codes of the server's errors.
  package var causes: [Int: Int] = [:]
  package var recovered = 0
  /// The recovered changesets.
  package var recoveredChanges = 0
  package var discarded = 0
  /// The resets whose program was killed, or suspended, in the middle.
  package var interrupted = 0
  /// The resets left to the program.
  package var failures: [Failure] = []

  /// A reset left to the program.
  package struct Failure: Hashable, Sendable {
    /// The error of an automatic one.
    package let error: ResetError?
    /// Whether the server had allowed changes to be recovered.
    package let mayRecover: Bool
  }

  /// How often resets failed for each reason.
  package var failureCounts: [String: Int] {
    failures.reduce(into: [:]) { counts, failure in
      counts[failure.error.map { "\($0)" } ?? "manual", default: 0] += 1
    }
  }

  package init() {}

  /// Adds the counts of another device or run.
  package static func += (left: inout ResetCounts, right: ResetCounts) {
    left.causes.merge(right.causes, uniquingKeysWith: +)
    left.recovered += right.recovered
    left.recoveredChanges += right.recoveredChanges
    left.discarded += right.discarded
    left.interrupted += right.interrupted
    left.failures += right.failures
  }
}
