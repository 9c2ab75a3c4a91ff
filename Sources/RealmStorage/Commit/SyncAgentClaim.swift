// SPDX-License-Identifier: Apache-2.0

// The lock of the sync agent: one agent synchronises a file, over all processes.
//
// 1. A claim holds a byte lock of the lock file, as the writer does: it belongs to the open file,
//    so any thread may release it, and the kernel drops it when the process dies.
// 2. Inside the process, which the byte lock does not divide, the files that are claimed are known
//    by their identities, however often they are open.

import Synchronization

/// The right to synchronise a file, until it is released or goes away.
package final class SyncAgentClaim: Sendable {
  private static let claimed = Locked<Set<FileIdentity>>([])

  private let file: DatabaseFile
  private let isReleased = Atomic(false)

  private init(_ file: DatabaseFile) { self.file = file }

  fileprivate static func make(_ file: DatabaseFile) throws(StorageError) -> SyncAgentClaim {
    let identity = file.storage.identity
    guard claimed.withLock({ $0.insert(identity).inserted }) else {
      throw .multipleAgents(path: file.path)
    }
    var isLocked = false
    defer { if !isLocked { _ = claimed.withLock { $0.remove(identity) } } }
    isLocked = try file.session.memory.file.lockByte(
      at: SharedMemory.agentLockOffset, waits: false)
    guard isLocked else { throw .multipleAgents(path: file.path) }
    let claim = SyncAgentClaim(file)
    // A crash may take back what the agent uploads, and another version would get its number.
    try file.syncStart()
    return claim
  }

  deinit { release() }

  /// Lets another agent synchronise the file. Only the first call does something.
  package func release() {
    guard !isReleased.exchange(true, ordering: .acquiringAndReleasing) else { return }
    file.session.memory.file.unlockByte(at: SharedMemory.agentLockOffset)
    Self.claimed.withLock { _ = $0.remove(file.storage.identity) }
  }
}

extension DatabaseFile {
  /// Claims the right to synchronise the file, which must be open for writing.
  ///
  /// - Throws: `StorageError.multipleAgents` if an agent of this or another process has it;
  ///   `.system` if the version that the file was opened with cannot be made durable.
  package func claimAgent() throws(StorageError) -> SyncAgentClaim {
    precondition(!options.isReadOnly, "a file that is open for reading was to be synchronised")
    try requireOwnProcess()
    return try SyncAgentClaim.make(self)
  }
}
