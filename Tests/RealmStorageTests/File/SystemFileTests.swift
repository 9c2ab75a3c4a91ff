// SPDX-License-Identifier: Apache-2.0

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

struct SystemFileTests {
  /// A child process that is being started has copies of all descriptors for a while.
  @Test func locksEndWithTheFileWhoeverHasACopyOfItsDescriptor() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/locked"
    let descriptor = open(path, O_RDWR | O_CREAT, 0o600)
    let copy = dup(descriptor)
    try #require(descriptor >= 0 && copy >= 0)
    defer { close(copy) }
    var file: SystemFile? = try SystemFile(path: path, descriptor: descriptor)
    let other = try SystemFiles().open(path: path, mode: .readWrite)
    try expectEqual(file?.tryLock(exclusive: true), true)
    #expect(try !other.tryLock(exclusive: true))
    file = nil
    #expect(try other.tryLock(exclusive: true))
  }

  #if os(Linux)
  /// A signal ends the call that waits, and not the wait.
  @Test func signalsDoNotEndTheWaitForALock() async {
    await #expect(processExitsWith: .success) {
      // Without SA_RESTART.
      var action = sigaction()
      action.__sigaction_handler.sa_handler = { _ in }
      try #require(sigaction(SIGUSR1, &action, nil) == 0)
      let directory = try TemporaryDirectory()
      let path = directory.file("locked")
      let holder = try SystemFiles().open(path: path, mode: .readWriteCreating)
      try expectEqual(holder.lockByte(at: 5, waits: false), true)
      let waiter = try SystemFiles().open(path: path, mode: .readWrite)
      let thread = Handover<pthread_t>()
      let outcome = Locked<Bool?>(nil)
      let done = Handover<Bool>()
      _ = BackgroundThread.start(named: "waiter") {
        thread.give(pthread_self())
        let isLocked = try? waiter.lockByte(at: 5, waits: true)
        outcome.withLock { $0 = isLocked }
        done.give(true)
      }
      let identifier = thread.wait()
      for _ in 0..<20 {
        usleep(2000)
        pthread_kill(identifier, SIGUSR1)
      }
      expectEqual(outcome.withLock { $0 }, nil)
      holder.unlockByte(at: 5)
      expectTrue(done.wait())
      expectEqual(outcome.withLock { $0 }, true)
    }
  }
  #endif

  /// What is in the file stays, also what was not synced yet.
  @Test func forgettingWhatIsCachedLosesNothing() throws {
    let directory = try TemporaryDirectory()
    let file = try SystemFiles().open(
      path: directory.file("cached"), mode: .readWriteCreating)
    for value in [1, 2] as [UInt64] {
      try file.write(value, at: 8)
      if value == 1 { try file.sync() }
      file.forgetCached()
      var bytes = [UInt8](repeating: 0, count: 16)
      try bytes.withUnsafeMutableBytes { expectEqual(try file.read(into: $0, at: 0), 16) }
      expectEqual(bytes[8], UInt8(value))
    }
  }

  /// What the system answers to a sync is what the caller is told: here that there is nothing that
  /// could be made durable.
  @Test func aSyncThatTheSystemRefusesIsAnError() throws {
    var ends: [CInt] = [0, 0]
    try #require(unsafe pipe(&ends) == 0)
    defer { close(ends[0]) }
    let file = try SystemFile(path: "/pipe", descriptor: ends[1])
    let error = #expect(throws: StorageError.self) { try file.sync() }
    guard case .system("Syncing", "/pipe", let code) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(code == EINVAL || code == ENOTSUP)
  }
}
