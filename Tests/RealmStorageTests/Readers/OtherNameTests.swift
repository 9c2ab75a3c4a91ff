// SPDX-License-Identifier: Apache-2.0

// One file that is reached by two names: both callers are in one session, or one is refused.

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

/// How a second caller comes to the file of a first one.
enum SecondName: CaseIterable, Sendable {
  case symbolicLink, chainOfLinks, hardLink, mountOfTheFile, deletedLockFile

  /// Whether the names of all files are the same in the end.
  var isTheSame: Bool { self == .symbolicLink || self == .chainOfLinks }

  /// The path for the second caller; nil where the system does not allow that.
  func make(for path: String, in directory: TemporaryDirectory) throws -> String? {
    let other = directory.file("other.realm")
    switch self {
    case .symbolicLink:
      guard symlink("a.realm", other) == 0 else { return nil }
    case .chainOfLinks:
      let folder = directory.file("folder")
      guard mkdir(folder, 0o700) == 0, symlink(path, folder + "/link") == 0,
        symlink("folder/link", other) == 0
      else { return nil }
    case .hardLink:
      guard link(path, other) == 0 else { return nil }
    case .mountOfTheFile:
      #if os(Linux)
      guard FileManager.default.createFile(atPath: other, contents: nil),
        mount(path, other, nil, UInt(MS_BIND), nil) == 0
      else { return nil }
      #else
      return nil
      #endif
    case .deletedLockFile:
      guard unlink(path + ".lock") == 0 else { return nil }
      return path
    }
    return other
  }

  func end(_ other: String) {
    #if os(Linux)
    if self == .mountOfTheFile { umount(other) }
    #endif
  }
}

struct OtherNameTests {
  private let directory: TemporaryDirectory
  private let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.file("a.realm")
  }

  /// Opens a file as a process of its own does.
  private func open(_ path: String, _ isEncrypted: Bool) throws -> DatabaseFile {
    try DatabaseFile.open(
      path: path, options: OpenOptions(encryptionKey: isEncrypted ? try TestKeys.vector() : nil),
      system: SystemFiles(), registry: FileRegistry())
  }

  private func write(_ numbers: [Int64], to file: DatabaseFile) throws {
    let write = try file.beginWrite()
    try NumberTree.replace(with: numbers, in: write)
    _ = try write.commit(changeset: [])
  }

  private func numbers(_ file: DatabaseFile) throws -> [Int64] {
    try NumberTree.numbers(of: file.snapshot())
  }

  private func expectRefused(_ path: String, _ isEncrypted: Bool, by name: SecondName) {
    let error = #expect(throws: StorageError.self) { try open(path, isEncrypted) }
    guard case .incompatibleLockFile(path, let reason) = error else {
      Issue.record("\(name): \(String(describing: error))")
      return
    }
    expectTrue(reason.contains("another path") && reason.contains("Use one path"))
  }

  /// `LockFileSession` 4.
  @Test(
    arguments: SecondName.allCases,
    [(false, false), (false, true), (true, false), (true, true)])
  func aFileHasOneSession(_ name: SecondName, _ kind: (isEncrypted: Bool, isSlow: Bool)) throws {
    let isEncrypted = kind.isEncrypted
    var first: DatabaseFile? = try open(path, isEncrypted)
    try write([1, 2, 3], to: #require(first))
    // The first caller is within a transaction, or between two.
    var transaction = kind.isSlow ? try first?.beginWrite() : nil
    guard let other = try name.make(for: path, in: directory) else { return }
    defer { name.end(other) }
    if name.isTheSame {
      let second = try self.open(other, isEncrypted)
      expectEqual(second.path, path)
      if let transaction {
        try NumberTree.replace(with: [4], in: transaction)
        _ = try transaction.commit(changeset: [])
        try expectEqual(numbers(second), [4])
      }
      try write([5, 6], to: second)
      try expectEqual(numbers(#require(first)), [5, 6])
    } else {
      expectRefused(other, isEncrypted, by: name)
      try expectEqual(DatabaseFile.compact(path: other), false)
      if let transaction {
        try NumberTree.replace(with: [4], in: transaction)
        _ = try transaction.commit(changeset: [])
      }
      try write([5, 6], to: #require(first))
    }
    first = nil
    transaction = nil
    // The next session may have the other name.
    var second: DatabaseFile? = try self.open(other, isEncrypted)
    try expectEqual(numbers(#require(second)), [5, 6])
    try write([7], to: #require(second))
    try expectEqual(second?.check(), [])
    if !name.isTheSame, name != .deletedLockFile { expectRefused(path, isEncrypted, by: name) }
    second = nil
    try expectEqual(numbers(self.open(path, isEncrypted)), [7])
  }

  /// Nobody opens a file by another name while it is compacted or upgraded by the first.
  @Test func aFileThatIsUsedAloneHasNoOtherName() throws {
    do { try write([1], to: open(path, false)) }
    let other = try #require(try SecondName.hardLink.make(for: path, in: directory))
    let isAlone = try DatabaseFile.whileClosed(
      path: path, system: SystemFiles(), registry: FileRegistry()
    ) { () throws(StorageError) in
      expectRefused(other, false, by: .hardLink)
    }
    expectTrue(isAlone)
    try expectEqual(numbers(open(other, false)), [1])
  }

  /// Threads that open a file by several names and count in it; lock files go meanwhile.
  @Test(.heavy, arguments: [false, true])
  func countsThatWereAcknowledgedStay(_ isEncrypted: Bool) throws {
    try write([0], to: open(path, isEncrypted))
    let second = directory.file("b.realm")
    let third = directory.file("c.realm")
    try #require(link(path, second) == 0 && symlink("b.realm", third) == 0)
    let threads = [path, second, third, path].enumerated().map { index, name in
      let done = Handover<Result<Int64, StorageError>>()
      _ = BackgroundThread.start(named: "counter") {
        done.give(count(in: name, seed: UInt64(index), isEncrypted))
      }
      return done
    }
    let acknowledged = try threads.reduce(0) { try $0 + $1.wait().get() }
    expectTrue(acknowledged > 0)
    let file = try open(path, isEncrypted)
    try expectEqual(numbers(file), [acknowledged])
    try expectEqual(file.check(), [])
  }

  private func count(
    in path: String, seed: UInt64, _ isEncrypted: Bool
  ) -> Result<Int64, StorageError> {
    var generator = SeededGenerator(seed: seed)
    var acknowledged: Int64 = 0
    for _ in 0..<8 {
      do {
        let file = try open(path, isEncrypted)
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
          let write = try file.beginWrite()
          let old = try NumberTree.numbers(of: write.base).first ?? 0
          try NumberTree.replace(with: [old + 1], in: write)
          _ = try write.commit(changeset: [])
          acknowledged += 1
        }
        if Int.random(in: 0..<4, using: &generator) == 0 { unlink(file.path + ".lock") }
      } catch let error as StorageError {
        guard case .incompatibleLockFile = error else { return .failure(error) }
      } catch { return .failure(.corrupted("\(error)")) }
    }
    return .success(acknowledged)
  }

  @Test func compactionGoesThroughASymbolicLink() throws {
    let other = directory.file("link.realm")
    try write([1, 2, 3], to: open(path, false))
    try #require(symlink(path, other) == 0)
    try expectEqual(DatabaseFile.compact(path: other), true)
    var status = stat()
    try #require(lstat(other, &status) == 0)
    expectEqual(status.st_mode & S_IFMT, S_IFLNK)
    try expectEqual(numbers(open(path, false)), [1, 2, 3])
    // A second name would go on naming the file as it was.
    try #require(link(path, directory.file("hard.realm")) == 0)
    try expectEqual(DatabaseFile.compact(path: other), false)
    try expectEqual(numbers(open(directory.file("hard.realm"), false)), [1, 2, 3])
  }

  /// `LockFileSession` 8: the next caller has another file, of which the session knows nothing.
  @Test(arguments: [false, true]) func aFileThatIsReplacedIsNotJoined(_ isEncrypted: Bool) throws {
    let other = directory.file("b.realm")
    try write([7], to: open(other, isEncrypted))
    var first: DatabaseFile? = try open(path, isEncrypted)
    try write([Int64](0..<3000), to: #require(first))
    try #require(rename(other, path) == 0)
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    func expectRefused(_ open: () throws -> Void) {
      let error = #expect(throws: StorageError.self) { try open() }
      guard case .incompatibleLockFile(path, let reason) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      expectTrue(reason.contains("in the place of a file"), "\(reason)")
    }
    expectRefused { _ = try self.open(path, isEncrypted) }
    let key = isEncrypted ? try TestKeys.vector() : nil
    expectRefused { _ = try DatabaseFile.openForReading(path: path, key: key) }
    try expectEqual(DatabaseFile.compact(path: path, key: key), false)
    try expectEqual(Data(contentsOf: URL(fileURLWithPath: path)), before)
    // Who has the former file goes on with it, as with any file that has lost its name.
    try write([8, 9], to: #require(first))
    try expectEqual(numbers(#require(first)), [8, 9])
    first = nil
    let second = try open(path, isEncrypted)
    try expectEqual(numbers(second), [7])
    try write([10], to: second)
    try expectEqual(second.check(), [])
  }

  /// `DatabaseFile+Open` 1.
  @Test(arguments: [SecondName.symbolicLink, .chainOfLinks])
  func aProcessHasOneOpenFile(_ name: SecondName) throws {
    let first = try DatabaseFile.open(path: path)
    let other = try #require(try name.make(for: path, in: directory))
    #expect(try DatabaseFile.open(path: other) === first)
    #expect(try DatabaseFile.open(path: directory.path + "/./a.realm") === first)
  }

  @Test func aFileIsMadeWhereALinkLeads() throws {
    let link = directory.file("link.realm")
    try #require(symlink("a.realm", link) == 0)
    try write([1], to: open(link, false))
    try expectEqual(numbers(open(path, false)), [1])
    expectTrue(FileManager.default.fileExists(atPath: path + ".lock"))
    expectFalse(FileManager.default.fileExists(atPath: link + ".lock"))
    let circle = directory.file("circle.realm")
    try #require(symlink("circle.realm", circle) == 0)
    #expect(throws: StorageError.system(operation: "Opening", path: circle, code: ELOOP)) {
      try open(circle, false)
    }
  }

  /// A writer that has no part in the session is noticed before anything is overwritten.
  @Test(arguments: [false, true]) func aForeignWriterIsNoticed(_ isEncrypted: Bool) throws {
    let file = try open(path, isEncrypted)
    try write([1], to: file)
    let options = OpenOptions(encryptionKey: isEncrypted ? try TestKeys.vector() : nil)
    let storage = try SystemFiles().open(path: path, mode: .readWrite)
    let foreign = try DatabaseFile.open(
      EncryptedFile.wrapping(storage, options) ?? storage, path, options, SystemFiles(),
      lockSystem: MemoryFiles(), acceptsOlderFormats: true)
    try write([2], to: foreign)
    let error = #expect(throws: StorageError.self) { try write([3], to: file) }
    guard case .corrupted(let reason) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    expectTrue(reason.contains("somebody who does not respect its lock"))
    try expectEqual(numbers(foreign), [2])
  }
}
