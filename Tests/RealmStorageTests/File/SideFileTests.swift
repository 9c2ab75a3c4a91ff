// SPDX-License-Identifier: Apache-2.0

// What others have put in the place of a file beside the database.

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

struct SideFileTests {
  enum Found: CaseIterable, Sendable {
    case symbolicLink, linkToNothing, hardLink, directory, pipe, socket, text, zip

    /// What the error calls it.
    var description: String {
      switch self {
      case .symbolicLink, .linkToNothing: "a symbolic link"
      case .hardLink: "a hard link"
      case .directory: "a directory"
      case .pipe: "a named pipe"
      case .socket: "a socket"
      case .text, .zip: "other contents"
      }
    }
  }

  enum Use: CaseIterable, Sendable {
    case open, openForReading, beAlone, compact, encrypt, restore, keep

    var suffix: String {
      switch self {
      case .compact, .encrypt: ".compaction"
      case .open, .openForReading, .beAlone: ".lock"
      case .restore, .keep: ".v23.backup.realm"
      }
    }
  }

  private let directory: TemporaryDirectory
  private let path: String
  private let victim: String
  private static let text = Data("something dear to somebody\n".utf8)

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.file("a.realm")
    victim = directory.file("victim.txt")
    let file = try DatabaseFile.open(
      path: path, options: OpenOptions(), system: SystemFiles(),
      registry: FileRegistry())
    let write = try file.beginWrite()
    try NumberTree.replace(with: [1, 2, 3], in: write)
    _ = try write.commit(changeset: [])
    try Self.text.write(to: URL(fileURLWithPath: victim))
    // Files beside it lose the rights that others do not have to it: not those that are not ours.
    try #require(chmod(path, 0o600) == 0)
  }

  private func put(_ found: Found, at place: String) throws {
    unlink(place)
    switch found {
    case .symbolicLink: try #require(symlink(victim, place) == 0)
    case .linkToNothing: try #require(symlink(directory.file("nothing"), place) == 0)
    case .hardLink: try #require(link(victim, place) == 0)
    case .directory: try #require(mkdir(place, 0o755) == 0)
    case .pipe: try #require(mkfifo(place, 0o600) == 0)
    case .socket: try #require(mknod(place, S_IFSOCK | 0o600, 0) == 0)
    case .text: try Self.text.write(to: URL(fileURLWithPath: place))
    case .zip:
      try Data([0x50, 0x4B, 3, 4] + [UInt8](repeating: 0, count: 5000))
        .write(to: URL(fileURLWithPath: place))
    }
  }

  private func perform(_ use: Use) throws {
    switch use {
    case .open: _ = try DatabaseFile.open(path: path)
    case .openForReading: _ = try DatabaseFile.openForReading(path: path)
    case .beAlone: _ = try DatabaseFile.whileClosed(path: path) {}
    case .compact: _ = try DatabaseFile.compact(path: path)
    case .restore:
      try DatabaseFile.replace(
        path: path, by: path + use.suffix, keepingAs: directory.file("kept.realm"))
    case .keep:
      let copy = directory.file("copy.realm")
      try FileManager.default.copyItem(atPath: path, toPath: copy)
      try DatabaseFile.replace(path: path, by: copy, keepingAs: path + use.suffix)
    case .encrypt: _ = try DatabaseFile.encryptIfPlain(path: path, key: TestKeys.vector())
    }
  }

  /// A file without rights of its own has those of any new file.
  @Test func newFilesHaveTheUsualRights() throws {
    let directory = try TemporaryDirectory()
    func rights(_ path: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
    let usual = directory.file("usual")
    close(open(usual, O_RDWR | O_CREAT, 0o644))
    let made = directory.file("made")
    close(try #require(try SideFile.make(made, nil)))
    try expectEqual(rights(made), rights(usual))
    let other = directory.file("other")
    close(try #require(try SideFile.make(other, FileRights(of: usual))))
    try expectEqual(rights(other), rights(usual))
    try expectEqual(SideFile.make(other, nil), nil)
  }

  /// `SideFile` 1 and 2.
  @Test(arguments: Use.allCases, Found.allCases)
  func whatIsNotOursStays(_ use: Use, _ found: Found) throws {
    // The contents of a copy from before an upgrade are its opener's to check.
    if use.suffix == ".v23.backup.realm", found == .text || found == .zip { return }
    let place = path + use.suffix
    try put(found, at: place)
    var before = stat()
    try #require(lstat(place, &before) == 0)
    let contents = try? Data(contentsOf: URL(fileURLWithPath: path))
    if use == .openForReading, found == .linkToNothing {
      // There is no session, as there is no lock file.
      try perform(use)
    } else {
      let error = #expect(throws: StorageError.self) { try perform(use) }
      guard case .foreignFile(place, _, let described) = error else {
        Issue.record("\(use), \(found): \(String(describing: error))")
        return
      }
      expectTrue(described.contains(found.description))
    }
    var after = stat()
    try #require(lstat(place, &after) == 0)
    expectEqual(after.st_ino, before.st_ino)
    expectEqual(after.st_size, before.st_size)
    expectEqual(after.st_mode, before.st_mode)
    try expectEqual(Data(contentsOf: URL(fileURLWithPath: victim)), Self.text)
    expectFalse(FileManager.default.fileExists(atPath: directory.file("nothing")))
    try expectEqual(Data(contentsOf: URL(fileURLWithPath: path)), contents)
    // A copy that is in the way of none but a compaction does not keep the file closed.
    if use.suffix == ".lock" { try FileManager.default.removeItem(atPath: place) }
    let file = try DatabaseFile.open(path: path)
    try expectEqual(NumberTree.numbers(of: file.snapshot()), [1, 2, 3])
    if found == .text { try expectEqual(file.check(), []) }
  }

  @Test func lockFilesOfAllKindsAreUsed() throws {
    let lock = path + ".lock"
    var ours = [UInt8](repeating: 0, count: SharedMemory.initialByteCount)
    let blank = ours
    ours[4] = 24
    ours[6] = 0x00
    ours[7] = 0x52
    ours[2048] = 4
    var begun = ours
    begun[4] = 0
    var core = [UInt8](repeating: 0, count: 1728)
    core.replaceSubrange(0..<8, with: [1, 40, 48, 0, 24, 2, 14, 0])
    core[10] = 30
    core[16] = 77
    core[50] = 200
    var started = ours
    started[0] = 1
    var coreBegun = core
    coreBegun[0] = 0
    for bytes in [[], blank, begun, ours, started, core, coreBegun] {
      try Data(bytes).write(to: URL(fileURLWithPath: lock))
      let file = try DatabaseFile.open(path: path)
      try expectEqual(NumberTree.numbers(of: file.snapshot()), [1, 2, 3])
    }
  }

  @Test(arguments: [false, true]) func theCopyOfAnInterruptedCompactionGoes(
    _ isEncrypted: Bool
  ) throws {
    let copy = path + ".compaction"
    let key = isEncrypted ? try TestKeys.vector() : nil
    do {
      let file = try DatabaseFile.open(path: path)
      try file.snapshot().write(
        to: SystemFiles().open(path: copy, mode: .readWriteCreating), key: key, history: nil)
    }
    let whole = try Data(contentsOf: URL(fileURLWithPath: copy))
    for bytes in [whole, whole.prefix(4096), Data(), Data(count: 8192)] {
      try bytes.write(to: URL(fileURLWithPath: copy))
      do { _ = try DatabaseFile.open(path: path) }
      expectFalse(FileManager.default.fileExists(atPath: copy))
      try bytes.write(to: URL(fileURLWithPath: copy))
      try expectEqual(DatabaseFile.compact(path: path), true)
      expectFalse(FileManager.default.fileExists(atPath: copy))
    }
  }
}
