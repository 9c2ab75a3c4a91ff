// SPDX-License-Identifier: Apache-2.0

// One agent synchronises a file (invariants of `SyncAgentClaim`).

import Foundation
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct SyncAgentClaimTests {
  private let directory: TemporaryDirectory
  private let path: String
  private let options = OpenOptions(history: .syncClient)

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.file("a.realm")
  }

  private func open() throws -> DatabaseFile {
    try DatabaseFile.open(
      path: path, options: options, system: SystemFiles(), registry: FileRegistry())
  }

  /// `SyncAgentClaim` 2.
  @Test func aSecondAgentOfTheProcessIsRefused() throws {
    let file = try open()
    let other = try open()
    expectTrue(file !== other)
    let claim = try file.claimAgent()
    for second in [file, other] {
      #expect(throws: StorageError.multipleAgents(path: path)) { try second.claimAgent() }
    }
    claim.release()
    let next = try other.claimAgent()
    // Nothing is released twice.
    claim.release()
    #expect(throws: StorageError.multipleAgents(path: path)) { try file.claimAgent() }
    next.release()
  }

  /// `SyncAgentClaim` 1.
  @Test func anAgentOfAnotherProcessIsNoticed() throws {
    let file = try open()
    let lockFile = try SystemFiles().open(path: path + ".lock", mode: .readWrite)
    #expect(try lockFile.lockByte(at: SharedMemory.agentLockOffset, waits: false))
    #expect(throws: StorageError.multipleAgents(path: path)) { try file.claimAgent() }
    lockFile.unlockByte(at: SharedMemory.agentLockOffset)
    let claim = try file.claimAgent()
    #expect(try !lockFile.lockByte(at: SharedMemory.agentLockOffset, waits: false))
    claim.release()
    #expect(try lockFile.lockByte(at: SharedMemory.agentLockOffset, waits: false))
  }

  @Test func aClaimThatGoesAwayIsReleased() throws {
    let file = try open()
    do { _ = try file.claimAgent() }
    do {
      let claim = try file.claimAgent()
      #expect(throws: StorageError.multipleAgents(path: path)) { try file.claimAgent() }
      withExtendedLifetime(claim) {}
    }
    try file.claimAgent().release()
  }

  @Test func writersDoNotWaitForTheAgent() throws {
    let file = try open()
    let claim = try file.claimAgent()
    _ = try open().beginWrite().commit(changeset: [])
    expectEqual(file.newestVersion, 2)
    claim.release()
  }
}
