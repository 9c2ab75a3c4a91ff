// SPDX-License-Identifier: Apache-2.0

// When observers get the measurements of commits.

import Foundation
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct CommitObserversTests {
  /// `CommitObservers` 1 and 2; in a process without other observers, which are those of all files.
  @Test func observersMayWriteAndEndThemselves() async {
    await #expect(processExitsWith: .success) {
      let directory = try TemporaryDirectory()
      let file = try DatabaseFile.open(path: directory.file("a.realm"))
      func commit() throws { _ = try file.beginWrite().commit(changeset: []) }
      try #require(CommitObservers.isEmpty)
      let seen = Locked<[UInt64]>([])
      let number = Locked<UInt64>(0)
      let thread = pthread_self().hashValue
      let first = CommitObservers.add { report in
        guard pthread_self().hashValue == thread,
          let start = try? file.writers.startAtOnce(on: file)
        else { return }
        withExtendedLifetime(start) { seen.withLock { $0.append(report.version) } }
        if report.version == 3 { _ = CommitObservers.remove(number.withLock { $0 }) }
      }
      number.withLock { $0 = first }
      let second = CommitObservers.add { _ in }
      for _ in 0..<3 { try commit() }
      try #require(seen.withLock { $0 } == [2, 3])
      try #require(!CommitObservers.isEmpty && !CommitObservers.remove(first))
      try #require(CommitObservers.remove(second) && CommitObservers.isEmpty)
    }
  }
}
