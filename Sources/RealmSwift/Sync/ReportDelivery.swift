// SPDX-License-Identifier: Apache-2.0

// The way of reports of refused writes from a file to the program.
//
// 1. The program gets each report at least once: the file keeps it until the handler has returned.
// 2. It gets each once in a process.

#if Sync
import RealmStorage
import RealmSync
import RealmSyncProtocol

/// Hands the reports of a file to the program.
final class ReportDelivery: Sendable {
  private struct State {
    /// The reports given to the program in this process.
    var handed: Set<CompensatingWriteReport> = []
    /// Whether the file keeps reports whose writes are not undone yet.
    var hasMore = false
    /// Removes delivered reports from the file.
    var removal: Task<Void, Never>?
    /// The number of delivered reports still in the file.
    var removalCount = 0
  }

  private let agent: SyncAgent
  private let state = Locked(State())

  init(_ agent: SyncAgent) { self.agent = agent }

  /// Hands a report over, unless the program has it, and forgets it then.
  func hand(_ document: ErrorDocument, to program: (CompensatingWriteReport) -> Void) {
    guard let report = document.compensatingWrite,
      state.withLock({ $0.handed.insert(report).inserted })
    else { return }
    program(report)
    state.withLock { state in
      state.removalCount += 1
      state.removal = Task { [self, previous = state.removal] in
        await previous?.value
        do throws(StorageError) {
          try await agent.removeReport(report.serverVersion)
        } catch {
          Logger.log(.error, "A report in '\(agent.file.path)' is not removed: \(error)")
        }
        self.state.withLock { $0.removalCount -= 1 }
      }
    }
  }

  /// Finds the reports that an earlier process has not handed over.
  ///
  /// - Parameter program: Takes each, in order.
  func look(_ program: @escaping @Sendable (ErrorDocument) -> Void) {
    Task { [agent] in
      do throws(StorageError) {
        let (due, hasMore) = try await agent.keptReports()
        state.withLock { $0.hasMore = hasMore }
        for document in due { program(document) }
      } catch {
        Logger.log(.error, "The reports in '\(agent.file.path)' cannot be read: \(error)")
      }
    }
  }

  /// Looks again if there were reports whose time had not come.
  func lookAgain(_ program: @escaping @Sendable (ErrorDocument) -> Void) {
    if state.withLock({ $0.hasMore }) { look(program) }
  }

  /// Whether the file keeps no delivered report.
  var isFinished: Bool { state.withLock { $0.removalCount == 0 } }

  /// Waits until the file keeps no delivered report.
  func finish() async { await state.withLock { $0.removal }?.value }
}
#endif
