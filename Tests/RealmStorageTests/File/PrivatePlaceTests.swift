// SPDX-License-Identifier: Apache-2.0

// Rights of files and folders with secrets.

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

struct PrivatePlaceTests {
  private static func rights(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  private static func set(_ rights: Int, _ path: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: rights], ofItemAtPath: path)
  }

  private static func commit(_ file: DatabaseFile) throws {
    let write = try file.beginWrite()
    _ = try write.commit(changeset: [])
  }

  @Test func privateFilesAreMadeForTheirOwner() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("secret.realm")
    do {
      let file = try DatabaseFile.open(path: path, system: SystemFiles(isPrivate: true))
      try Self.commit(file)
    }
    try expectEqual(Self.rights(path), 0o600)
    try expectEqual(Self.rights(path + ".lock"), 0o600)
    #expect(try DatabaseFile.compact(path: path))
    try expectEqual(Self.rights(path), 0o600)
    let other = directory.file("other.realm")
    _ = try DatabaseFile.open(path: other)
    let usual = try #require(try Self.rights(other))
    expectTrue(usual & 0o044 != 0, "the umask of this machine hides what the test looks for")
    #expect(try DatabaseFile.compact(path: other))
    try expectEqual(Self.rights(other), usual)
  }

  @Test func whatIsThereLosesTheRightsOfOthers() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("secret.realm")
    _ = try DatabaseFile.open(path: path)
    try Self.set(0o664, path)
    _ = try DatabaseFile.open(path: path, system: SystemFiles(isPrivate: true))
    try expectEqual(Self.rights(path), 0o600)
    let folder = directory.file("folder")
    try PrivatePlace.makeFolder(folder)
    try expectEqual(Self.rights(folder), 0o700)
    try Self.set(0o755, folder)
    try PrivatePlace.makeFolder(folder)
    try expectEqual(Self.rights(folder), 0o700)
    PrivatePlace.restrict(directory.file("nothing"))
    #expect(throws: StorageError.self) {
      try PrivatePlace.makeFolder(directory.file("no/folder"))
    }
  }

  @Test func missingFoldersAreMadeForTheirOwner() throws {
    let directory = try TemporaryDirectory()
    try Self.set(0o755, directory.path)
    try PrivatePlace.makeMissingFolders(directory.file("a/b/c"))
    try PrivatePlace.makeMissingFolders(directory.file("a/b/d/"))
    for name in ["a", "a/b", "a/b/c", "a/b/d"] {
      try expectEqual(Self.rights(directory.file(name)), 0o700)
    }
    try PrivatePlace.makeMissingFolders(directory.path)
    try PrivatePlace.makeMissingFolders("/")
    try expectEqual(Self.rights(directory.path), 0o755)
    let file = directory.file("file")
    expectTrue(FileManager.default.createFile(atPath: file, contents: nil))
    for path in [file, file + "/folder", "", String(repeating: "x/", count: 40_000)] {
      #expect(throws: StorageError.self) { try PrivatePlace.makeMissingFolders(path) }
    }
  }

  @Test func aPlainFileIsEncryptedInItsPlace() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("plain.realm")
    let key = try #require(EncryptionKey((0..<64).map { UInt8($0) }))
    #expect(try DatabaseFile.encryptIfPlain(path: path, key: key))
    expectFalse(FileManager.default.fileExists(atPath: path))
    do {
      let file = try DatabaseFile.open(path: path)
      try Self.commit(file)
      #expect(try !DatabaseFile.encryptIfPlain(path: path, key: key), "the file is open")
    }
    #expect(try DatabaseFile.encryptIfPlain(path: path, key: key))
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    expectEqual(bytes.range(of: Data("T-DB".utf8)), nil)
    #expect(try DatabaseFile.encryptIfPlain(path: path, key: key))
    try expectEqual(Data(contentsOf: URL(fileURLWithPath: path)), bytes)
    _ = try DatabaseFile.open(path: path, options: OpenOptions(encryptionKey: key))
  }

  /// New files have the rights of another one, more than the usual ones, too; those that were there
  /// get no further ones.
  @Test func newFilesHaveTheRightsOfAnother() throws {
    let directory = try TemporaryDirectory()
    let (path, new, old) = (directory.file("a"), directory.file("b"), directory.file("c"))
    for path in [path, old] { try Data().write(to: URL(fileURLWithPath: path)) }
    try Self.set(0o666, path)
    try Self.set(0o600, old)
    let system = SystemFiles(asFileAt: path)
    _ = try system.open(path: new, mode: .readWriteCreating)
    try expectEqual(Self.rights(new), 0o666)
    for mode in [.readOnly, .readWrite, .readWriteCreating] as [FileOpenMode] {
      _ = try system.open(path: old, mode: mode)
      try expectEqual(Self.rights(old), 0o600)
    }
  }

  /// What stands beside a file, and what takes its place, is for those who may use the file.
  @Test(arguments: [0o600, 0o640, 0o660, 0o644, 0o666, 0o400])
  func sideFilesAndCopiesHaveTheRightsOfTheFile(_ rights: Int) throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("a.realm")
    do { try Self.commit(try DatabaseFile.open(path: path)) }
    let isRoot = geteuid() == 0
    try Self.set(rights, path)
    if isRoot { expectEqual(chown(path, 1234, 2345), 0) }
    // One that was there gives nobody more, a new one what the file gives.
    try Self.set(0o666, path + ".lock")
    for isNew in [false, true] {
      if isNew { expectEqual(unlink(path + ".lock"), 0) }
      do { try Self.commit(try DatabaseFile.open(path: path)) }
      let lock = try #require(try Self.rights(path + ".lock"))
      expectEqual(lock & 0o077, rights & 0o066, "\(String(lock, radix: 8))")
      expectEqual(lock & 0o600, 0o600)
      if isNew, isRoot { try expectEqual(Self.owner(path + ".lock"), [1234, 2345]) }
    }
    if rights & 0o200 == 0 { return }
    #expect(try DatabaseFile.compact(path: path))
    try expectEqual(Self.rights(path), rights)
    if isRoot { try expectEqual(Self.owner(path), [1234, 2345]) }
  }

  private static func owner(_ path: String) throws -> [Int] {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return [.ownerAccountID, .groupOwnerAccountID].compactMap {
      (attributes[$0] as? NSNumber)?.intValue
    }
  }
}
