// SPDX-License-Identifier: Apache-2.0

// What observers of commits get.

import Foundation
import RealmStorage
import RealmSwiftTestSupport
import Synchronization
import TestExtensions
import Testing

@testable import RealmSession
@testable import RealmSwift

struct CommitMeasurementTests {
  private final class Journal: Sendable {
    private let all = Mutex<[CommitMeasurement]>([])

    func observe(_ url: URL?) -> NotificationToken {
      Realm.observeCommits { [weak self] commit in
        // Other tests commit at the same time.
        if commit.fileURL == url { self?.all.withLock { $0.append(commit) } }
      }
    }

    var commits: [CommitMeasurement] { all.withLock { $0 } }
  }

  @Test func eachCommitIsMeasured() throws {
    let file = try TemporaryRealm()
    let realm = try file.open()
    let journal = Journal()
    let token = journal.observe(file.configuration.fileURL)
    try realm.write { realm.create(Dog.self, value: ["name": "Rex"]) }
    let frozen = realm.freeze()
    try realm.write {
      realm.create(Dog.self, value: ["name": String(repeating: "x", count: 100_000)])
    }
    token.invalidate()
    try realm.write { realm.deleteAll() }
    let commits = journal.commits
    try #require(commits.count == 2)
    expectEqual(commits.map(\.transactionCount), [1, 1])
    expectEqual(commits[1].version, commits[0].version + 1)
    expectTrue(commits[0].writtenByteCount > 0)
    expectTrue(commits[1].writtenByteCount > 100_000)
    expectTrue(commits[1].fileByteCount > 100_000)
    expectTrue(commits[1].activeVersionCount >= 2)
    #expect(commits.allSatisfy { $0.waitDuration == .zero && $0.waitingWriterCount == 0 })
    #expect(commits.allSatisfy { $0.syncDuration > .zero })
    withExtendedLifetime(frozen) {}
  }

  @Test func sharedCommitsAreOne() async throws {
    let file = try TemporaryRealm()
    let journal = Journal()
    let token = journal.observe(file.configuration.fileURL)
    defer { token.invalidate() }
    let queue = DispatchQueue(label: "CommitMeasurementTests")
    let configuration = file.configuration
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      queue.async {
        guard let realm = try? Realm(configuration: configuration, queue: queue) else {
          return done.resume()
        }
        for name in ["a", "b", "c"] {
          realm.beginAsyncWrite {
            realm.create(Dog.self, value: ["name": name])
            realm.commitAsyncWrite(allowGrouping: true) { _ in if name == "c" { done.resume() } }
          }
        }
      }
    }
    let own = journal.commits.dropFirst()  // The first one made the tables.
    expectEqual(own.reduce(0) { $0 + $1.transactionCount }, 3)
    expectTrue(own.count < 3)
  }

  @Test func waitingIsMeasured() throws {
    let file = try TemporaryRealm()
    let realm = try file.open()
    let journal = Journal()
    let token = journal.observe(file.configuration.fileURL)
    defer { token.invalidate() }
    realm.beginWrite()
    let configuration = file.configuration
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      if let other = try? Realm(configuration: configuration) {
        _ = try? other.write { other.create(Dog.self, value: ["name": "b"]) }
      }
      done.signal()
    }
    while realm.core.file.writers.waiterCount == 0 { usleep(1000) }
    usleep(2000)
    try realm.commitWrite()
    done.wait()
    let commits = journal.commits
    try #require(commits.count == 2)
    expectTrue(commits[0].waitingWriterCount == 1 || commits[0].waitDuration == .zero)
    expectTrue(commits[1].waitDuration > .milliseconds(1))
  }
}
