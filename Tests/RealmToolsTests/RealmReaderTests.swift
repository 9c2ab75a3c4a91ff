// SPDX-License-Identifier: Apache-2.0

// Reading files that others write, and files that must not be touched.

#if Tools
import Foundation
import RealmStorage
import RealmTables
import RealmTestSupport
import RealmText
import RealmTools
import TestExtensions
import Testing

struct RealmReaderTests {
  @Test(.timeLimit(.minutes(10))) func writersWaitForALimitedTime() throws {
    let sample = try SampleRealm()
    let noticed = DispatchSemaphore(value: 0)
    let first = try RealmWriter(path: sample.path, creates: false)
    let second = try RealmWriter(
      path: sample.path, creates: false,
      waiting: .init(limit: 1.2) { noticed.signal() })
    let busy = try first.begin()
    let failure = #expect(throws: ToolFailure.self) { try second.begin() }
    expectEqual(failure?.status, .busy)
    let message = try #require(failure?.message)
    expectTrue(message.contains("has been writing to '\(sample.path)' for "))
    let seconds = try #require(message.firstMatch(of: #/ for (\d+) seconds/#)?.1)
    #expect(try #require(Int(seconds)) >= 1)
    expectEqual(noticed.wait(timeout: .now()), .success)
    busy.rollback()
    // The writer that gave up is in nobody's way, and may come again.
    try first.begin().rollback()
    try second.begin().rollback()
  }

  /// `RealmReader` 1 and `DatabaseFile+Reading` 1
  @Test func readingCreatesNothingAndChangesNothing() throws {
    let sample = try SampleRealm()
    try sample.removeLockFile()
    let before = try sample.state()
    let report = try FileReport(path: sample.path)
    expectEqual(report.classes.map(\.count), [1, 2, 2])
    expectEqual(report.liveVersions, nil)
    #expect(try !IntegrityReport(path: sample.path).isDamaged)
    #expect(try sample.state() == before)
  }

  @Test func aMissingFileIsNotMade() throws {
    let directory = try TemporaryDirectory()
    let error = #expect(throws: ToolFailure.self) {
      try RealmReader(path: directory.file("none.realm"))
    }
    expectEqual(error?.status, .noInput)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
  }

  /// `RealmReader` 2
  @Test func aFileThatIsWrittenMeanwhileIsReportedAsBusy() throws {
    let sample = try SampleRealm()
    try sample.removeLockFile()
    let reader = try RealmReader(path: sample.path)
    expectFalse(reader.isShared)
    try reader.requireUnchanged()
    let handle = try #require(FileHandle(forUpdatingAtPath: sample.path))
    handle.seekToEndOfFile()
    handle.write(Data([0, 0, 0, 0, 0, 0, 0, 0]))
    try handle.close()
    let error = #expect(throws: ToolFailure.self) { try reader.requireUnchanged() }
    expectEqual(error?.status, .busy)
  }

  @Test func otherFilesAreRefused() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("text.realm")
    try Data("no realm at all, but long enough".utf8).write(to: URL(fileURLWithPath: path))
    let error = #expect(throws: ToolFailure.self) { try RealmReader(path: path) }
    expectEqual(error?.status, .badData)
    let empty = directory.file("empty.realm")
    try Data().write(to: URL(fileURLWithPath: empty))
    #expect(throws: ToolFailure.self) { try RealmReader(path: empty) }
    #expect(try Data(contentsOf: URL(fileURLWithPath: empty)).isEmpty)
  }

  @Test(arguments: ["bytes", "hexadecimal", "base64"])
  func keysHaveThreeForms(_ form: String) throws {
    let bytes = (0..<64).map { UInt8($0 * 3 & 0xFF) }
    let key = try #require(EncryptionKey(bytes))
    let sample = try SampleRealm(key: key)
    let data =
      switch form {
      case "bytes": Data(bytes)
      case "base64": Data((Base64.encode(bytes) + "\n").utf8)
      default: Data(HexadecimalText.text(bytes).utf8)
      }
    let keyFile = sample.directory.file("key")
    try data.write(to: URL(fileURLWithPath: keyFile))
    let report = try FileReport(path: sample.path, key: try KeyFile.key(at: keyFile))
    expectTrue(report.isEncrypted)
    expectEqual(report.classes.count, 3)
    let error = #expect(throws: ToolFailure.self) { try FileReport(path: sample.path) }
    expectEqual(error?.message.contains("--key-file"), true)
    try Data("short".utf8).write(to: URL(fileURLWithPath: keyFile))
    #expect(throws: ToolFailure.self) { try KeyFile.key(at: keyFile) }
  }
}
#endif
