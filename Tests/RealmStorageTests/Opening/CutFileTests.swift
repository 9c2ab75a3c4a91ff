// SPDX-License-Identifier: Apache-2.0

// A file that another program cuts while it is open: no commit is acknowledged any more.

import Foundation
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

struct CutFileTests {
  private static func numbers(_ step: Int) -> [Int64] {
    (0..<4000).map { (Int64($0) &* 77_777_777) &+ Int64(step) }
  }

  private static func commit(_ step: Int, to file: DatabaseFile) throws {
    let write = try file.beginWrite()
    try NumberTree.replace(with: numbers(step), in: write)
    _ = try write.commit(changeset: [])
  }

  private static func expectCut(_ error: StorageError?) {
    guard case .corrupted(let reason) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    expectTrue(reason.hasPrefix("another program cut the file to "))
  }

  @Test(arguments: [false, true])
  func aTransactionDoesNotBeginOnACutFile(isEncrypted: Bool) throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("a.realm")
    let file = try DatabaseFile.open(
      path: path, options: OpenOptions(encryptionKey: isEncrypted ? TestKeys.vector() : nil))
    for step in 0..<4 { try Self.commit(step, to: file) }
    let byteCount = try file.fileByteCount()
    expectEqual(truncate(path, off_t(byteCount / 2)), 0)
    for step in 4..<6 {
      Self.expectCut(#expect(throws: StorageError.self) { try Self.commit(step, to: file) })
    }
    expectEqual(file.newestVersion, 5)
    // Nothing was written: the file is as long as it was left.
    try expectEqual(file.fileByteCount(), byteCount / 2)
  }

  @Test(arguments: [false, true])
  func aTransactionOnAFileThatIsCutMeanwhileIsNotCommitted(isEncrypted: Bool) throws {
    let system = try SimulatedFileSystem()
    let file = try system.openDatabase(key: isEncrypted ? TestKeys.vector() : nil)
    try Self.commit(0, to: file)
    let write = try file.beginWrite()
    try NumberTree.replace(with: Self.numbers(1), in: write)
    try system.file.cut(to: 8192)
    Self.expectCut(#expect(throws: StorageError.self) { try write.commit(changeset: []) })
    expectEqual(file.newestVersion, 2)
    try expectEqual(system.file.contents().count, 8192)
  }

  /// The last point in time before a commit is acknowledged is after its last sync.
  @Test(arguments: [false, true])
  func aFileThatIsCutWhileItIsSyncedIsNotAcknowledged(isEncrypted: Bool) throws {
    let system = try SimulatedFileSystem()
    let simulated = system.file
    let file = try system.openDatabase(key: isEncrypted ? TestKeys.vector() : nil)
    simulated.clearTrace()
    try Self.commit(0, to: file)
    let syncCount = simulated.trace.count { $0 == .sync }
    simulated.clearTrace()
    let write = try file.beginWrite()
    try NumberTree.replace(with: Self.numbers(1), in: write)
    simulated.ignoreSyncs { number in
      if number == syncCount { try? simulated.cut(to: 4096) }
      return false
    }
    Self.expectCut(#expect(throws: StorageError.self) { try write.commit(changeset: []) })
    expectEqual(file.newestVersion, 2)
    simulated.ignoreSyncs(nil)
    #expect(throws: StorageError.self) { try file.beginWrite() }
  }
}
