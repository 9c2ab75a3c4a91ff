// SPDX-License-Identifier: Apache-2.0

// The calls of progress handlers, without a session.

#if Sync
import Foundation
import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

struct SyncProgressReporterTests {
  /// What a handler hears. It takes its time, and notes whether it is called meanwhile.
  private final class Heard: Sendable {
    private struct State {
      var values: [Double] = []
      var isCalled = false
      var isCalledTwice = false
    }

    private let state = Locked(State())

    var values: [Double] { state.withLock { $0.values } }
    var isCalledTwice: Bool { state.withLock { $0.isCalledTwice } }

    func add(_ progress: TransferProgress) {
      state.withLock { state in
        state.isCalledTwice = state.isCalledTwice || state.isCalled
        state.isCalled = true
        state.values.append(progress.estimate)
      }
      Thread.sleep(forTimeInterval: 0.003)
      state.withLock { $0.isCalled = false }
    }
  }

  private let directory: TemporaryDirectory
  private let agent: SyncAgent

  init() throws {
    directory = try TemporaryDirectory()
    agent = try SyncAgent(
      DatabaseFile.open(
        path: directory.file("a.realm"), options: OpenOptions(history: .syncClient)))
  }

  /// `SyncProgressReporter` 2 and 3.
  @Test func handlersAreCalledOneByOneInTheOrderOfTheNews() async throws {
    let reporter = SyncProgressReporter(agent, isFlexible: true)
    let (downloads, uploads) = (Heard(), Heard())
    let names = [
      reporter.add(.download, isForWorkAtHand: false, downloads.add),
      reporter.add(.upload, isForWorkAtHand: false, uploads.add),
    ]
    #expect(!names.contains(nil))
    await reporter.flush(hasDownloaded: false)
    expectEqual(downloads.values + uploads.values, [])
    // A message of no set tells that there is a server, and nothing of a download.
    reporter.downloaded(.flexible(queryVersion: 0, batch: .moreToCome, done: .estimate(0.5)))
    await reporter.flush(hasDownloaded: false)
    expectEqual(downloads.values, [])
    expectEqual(uploads.values, [1])
    for step in 1...10 {
      reporter.downloaded(
        .flexible(queryVersion: 1, batch: .moreToCome, done: .estimate(Double(step) / 10)))
      try await Task.sleep(for: .milliseconds(1))
    }
    await reporter.flush(hasDownloaded: true)
    let values = downloads.values
    expectEqual(values.first, 0)
    expectEqual(values.last, 1)
    expectEqual(values, values.sorted())
    expectFalse(downloads.isCalledTwice)
    for name in names.compactMap(\.self) { reporter.remove(name) }
  }

  /// `SyncProgressReporter` 1.
  @Test func theWorkAtHandHasOneEnd() async throws {
    let reporter = SyncProgressReporter(agent, isFlexible: false)
    let heard = Heard()
    #expect(reporter.add(.upload, isForWorkAtHand: true, heard.add) != nil)
    for _ in 0..<3 {
      reporter.downloaded(.partition(byteCountLeft: 0))
      await reporter.flush(hasDownloaded: true)
    }
    expectEqual(heard.values, [1])
  }
}
#endif
