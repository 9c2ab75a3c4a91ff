// SPDX-License-Identifier: Apache-2.0

// The programs of operators are killed in the middle: the folder stays usable.

#if Server
import Foundation
import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerKit

@Suite(
  .timeLimit(.minutes(20)),
  .enabled(if: ServerProcess.isBuilt, "the program was not built with the tests"))
struct OperationKillTests {
  /// A folder of a server with some realms.
  private static func folder() async throws -> TemporaryDirectory {
    let server = try await RunningServer(mode: .partition)
    let user = try await server.user()
    let driver = user.connection()
    for partition in 0..<12 {
      let device = try await ServedDevice(driver, partition: "\"\(partition)\"")
      for number in 0..<3 { try device.put(Int64(number), String(repeating: "x", count: 20_000)) }
      try await device.wait(for: .upload)
      await device.close()
    }
    try await server.stop()
    return server.directory
  }

  /// Runs the program, and kills it after a time. Returns its exit code.
  private static func run(_ arguments: [String], killedAfter time: Double?) async throws -> Int32 {
    try await BackupTests.onThread {
      let program = try SpawnedProgram(
        ServerProcess.path, arguments, output: .null, errors: .null)
      if let time {
        Thread.sleep(forTimeInterval: time)
        program.kill()
      }
      return program.waitUntilExit()
    }
  }

  private static func expectWhole(_ folder: String) async throws {
    let check = try await BackupTests.onThread { try FolderCheck(folder) }
    expectFalse(check.isDamaged, "\(check.text)")
    expectEqual(check.items.count { $0.path.contains("/realms/") }, 12)
  }

  /// `Backup` 3
  @Test func aKilledBackupIsMadeAgain() async throws {
    var random = SeededGenerator(seed: 7)
    let directory = try await Self.folder()
    let (data, target) = (directory.path + "/data", directory.path + "/backup")
    for _ in 0..<8 {
      let status = try await Self.run(
        ["backup", "--dir", data, "--to", target],
        killedAfter: Double.random(in: 0...0.4, using: &random))
      // It has its name when it is complete.
      guard FileManager.default.fileExists(atPath: target) else { continue }
      expectTrue(status == 0 || status == -9)
      try await Self.expectWhole(target)
      try FileManager.default.removeItem(atPath: target)
    }
    try await expectEqual(
      Self.run(["backup", "--dir", data, "--to", target], killedAfter: nil), 0)
    try await Self.expectWhole(target)
    try await Self.expectWhole(data)
    expectTrue(!FileManager.default.fileExists(atPath: target + ".unfinished"))
  }

  /// `RestoreStage` 1
  @Test func aKilledRestoreLeavesAFolderThatCanBeServed() async throws {
    var random = SeededGenerator(seed: 8)
    let directory = try await Self.folder()
    let (data, backup) = (directory.path + "/data", directory.path + "/backup")
    try await expectEqual(
      Self.run(["backup", "--dir", data, "--to", backup], killedAfter: nil), 0)
    let arguments = ["restore", "--from", backup, "--dir", data, "--replace"]
    for _ in 0..<8 {
      _ = try await Self.run(
        arguments, killedAfter: Double.random(in: 0...0.4, using: &random))
      _ = try ServerDirectory(data)
      try await Self.expectWhole(data)
    }
    try await expectEqual(Self.run(arguments, killedAfter: nil), 0)
    try await Self.expectWhole(data)
    try await RunningServer(directory).stop()
  }

  /// `Compaction` 2
  @Test func aKilledCompactionLeavesWholeFiles() async throws {
    var random = SeededGenerator(seed: 9)
    let directory = try await Self.folder()
    let data = directory.path + "/data"
    for _ in 0..<8 {
      _ = try await Self.run(
        ["compact", "--dir", data], killedAfter: Double.random(in: 0...0.3, using: &random))
      try await Self.expectWhole(data)
    }
    try await expectEqual(Self.run(["compact", "--dir", data], killedAfter: nil), 0)
    try await Self.expectWhole(data)
    try await expectEqual(Self.run(["check", "--dir", data], killedAfter: nil), 0)
    try await RunningServer(directory).stop()
  }
}
#endif
