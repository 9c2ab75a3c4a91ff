// SPDX-License-Identifier: Apache-2.0

// Processes that are forked without exec share nothing with their parents.

import Foundation
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage
@testable import RealmSwift

@Suite(.timeLimit(.minutes(10))) struct ForkTests {
  private let directory: TemporaryDirectory
  private let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.file("shared.realm")
  }

  private func startOther(_ opening: String = "open") async throws -> OtherProcess {
    let other = try OtherProcess()
    try await expectEqual(other.ask("\(opening) \(path)"), "ok")
    try await expectEqual(other.ask("add 1 0"), "ok")
    return other
  }

  /// `SessionState` 3, `DatabaseFile` 4.
  @Test(arguments: [
    "read", "frozen", "query", "refresh", "write", "open", "open-other", "memory",
  ])
  func aForkedChildIsRefused(action: String) async throws {
    let other = try await startOther()
    let said = try await other.ask("fork \(action)")
    expectTrue(said.contains("the process was forked from one that has used Realms"), "\(said)")
    // The parent goes on as if nothing had been.
    try await expectEqual(other.ask("increment 1 2"), "ok")
    try await expectEqual(other.ask("value 1"), "2")
    try await other.killNow()
    let file = try DatabaseFile.open(path: path)
    try expectEqual(file.check(), [])
  }

  @Test(arguments: ["open", "open-encrypted 7"])
  func aForkedChildDoesNotCommitItsParentsTransaction(opening: String) async throws {
    let other = try await startOther(opening)
    try await other.ask("begin 1")
    let said = try await other.ask("fork commit")
    expectTrue(said.contains("the process was forked from one that has used Realms"), "\(said)")
    try await expectEqual(other.ask("commit"), "ok")
    try await expectEqual(other.ask("value 1"), "-1")
  }

  /// `SharedMemory` 4.
  @Test func whatAForkedChildReleasesStaysPinnedForItsParent() async throws {
    let other = try await startOther()
    let file = try DatabaseFile.open(path: path)
    let kept = file.newestVersion
    try await expectEqual(other.ask("keep"), "ok")
    try await expectEqual(other.ask("increment 1 1"), "ok")
    expectEqual(file.pinnedVersions.first, kept)
    try await expectEqual(other.ask("fork drop"), "nothing")
    expectEqual(file.pinnedVersions.first, kept)
    _ = try await file.writeNothing()
    expectEqual(file.pinnedVersions.first, kept)
  }

  @Test func aForkedChildKeepsNoLockOfADeadParent() async throws {
    let other = try await startOther()
    try await other.ask("begin 1")
    let child = try #require(pid_t(try await other.ask("fork-hold")))
    defer { kill(child, SIGKILL) }
    try await other.killNow()
    let file = try DatabaseFile.open(path: path)
    let before = file.newestVersion
    try await file.writeNothing()
    expectEqual(file.newestVersion, before + 1)
    // It does not keep the file open, either.
    expectEqual(kill(child, 0), 0)
  }
}

extension DatabaseFile {
  /// Commits a transaction without changes, where blocking is harmless.
  fileprivate func writeNothing() async throws {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue(label: "writer").async {
        continuation.resume(with: Result { _ = try self.beginWrite().commit(changeset: []) })
      }
    } as Void
  }
}
