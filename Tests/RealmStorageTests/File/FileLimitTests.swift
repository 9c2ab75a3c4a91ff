// SPDX-License-Identifier: Apache-2.0

// Files, folders and address space where something is missing, or is just enough.

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

struct FileLimitTests {
  @Test func errorsAreToldApart() {
    for (code, isFull, isRefused) in [
      (ENOSPC, true, false), (EDQUOT, true, false), (EFBIG, true, false), (EIO, false, false),
      (EACCES, false, true), (EPERM, false, true), (EROFS, false, true), (ENOENT, false, false),
    ] {
      let error = StorageError.system(operation: "Writing", path: "a", code: code)
      expectEqual(error.isDiskFull, isFull, "\(code)")
      expectEqual(error.isAccessRefused, isRefused, "\(code)")
    }
    expectFalse(StorageError.corrupted("a").isDiskFull)
    expectFalse(StorageError.corrupted("a").isAccessRefused)
  }

  /// Files in memory that are open keep their names, however many others come and go.
  @Test func openFilesInMemoryKeepTheirNames() throws {
    let files = MemoryFiles()
    let kept = try files.open(path: "kept", mode: .readWriteCreating)
    for index in 0..<200 { _ = try files.open(path: "\(index)", mode: .readWriteCreating) }
    try expectTrue(files.open(path: "kept", mode: .readWriteCreating) === kept)
  }

  /// The same is true of databases.
  @Test func openDatabasesKeepTheirNames() throws {
    let registry = FileRegistry()
    func open(_ name: String) throws -> DatabaseFile {
      try DatabaseFile.open(
        path: "registry-\(name)", options: OpenOptions(isInMemory: true), system: SystemFiles(),
        registry: registry)
    }
    let kept = try open("kept")
    for index in 0..<130 { _ = try open("\(index)") }
    try expectTrue(open("kept") === kept)
    expectEqual(registry.openFiles.count, 1)
  }

  /// A folder whose name is too long cannot be made in one that is made for it.
  @Test func foldersWithImpossibleNamesAreRefused() throws {
    let directory = try TemporaryDirectory()
    let parent = directory.path + "/parent"
    let path = parent + "/" + String(repeating: "n", count: 300)
    #expect(throws: StorageError.system(operation: "Creating", path: path, code: ENAMETOOLONG)) {
      try PrivatePlace.makeMissingFolders(path)
    }
    expectEqual(access(parent, F_OK), 0)
    try PrivatePlace.makeMissingFolders(parent + "/first/second")
    expectEqual(access(parent + "/first/second", F_OK), 0)
  }

  /// A private file is one after it was opened for writing.
  @Test func privateFilesAreRestrictedByWriters() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("a")
    let descriptor = open(path, O_RDWR | O_CREAT, 0o644)
    fchmod(descriptor, 0o644)
    close(descriptor)
    func rights() -> mode_t {
      var status = stat()
      stat(path, &status)
      return status.st_mode & 0o777
    }
    let files = SystemFiles(isPrivate: true)
    _ = try files.open(path: path, mode: .readOnly)
    expectEqual(rights(), 0o644)
    _ = try files.open(path: path, mode: .readWrite)
    expectEqual(rights(), 0o600)
  }

  // MARK: Copies that are gone on with

  private func write(_ text: String, at offset: Int, to file: ResumedFile) throws {
    try Array(text.utf8).withUnsafeBytes { try file.write($0, at: offset) }
  }

  /// What is there is kept up to the first difference, and nothing behind it.
  @Test func nothingBehindADifferenceIsKept() throws {
    let system = try SimulatedFileSystem(contents: Array("aaaabbbbcccc".utf8))
    let file = ResumedFile(system.file)
    try write("aaaa", at: 0, to: file)
    expectEqual(file.keptByteCount, 4)
    try write("xxxx", at: 4, to: file)
    try write("xxxx", at: 4, to: file)
    try write("cccc", at: 8, to: file)
    expectEqual(file.keptByteCount, 4)
    // It has the length of what was written, and is not cut to it.
    system.file.clearTrace()
    try file.sync()
    expectEqual(system.file.trace, [.sync])
    let other = ResumedFile(system.file)
    try write("aa", at: 0, to: other)
    try write("axx", at: 3, to: other)
    expectEqual(other.keptByteCount, 2)
    try other.sync()
    try expectEqual(system.file.contents().count, 6)
  }

  /// Files that begin as a copy does are removed, and no others.
  @Test func onlyCopiesAreRemoved() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("copy")
    func bytes(_ values: [Int: UInt8]) -> [UInt8] {
      (0..<80).map { values[$0] ?? 0 }
    }
    for (contents, isCopy) in [
      (bytes([:]), true), (bytes([0: 1, 20: 7]), true), (bytes([0: 9]), false),
      (bytes([0: 1, 1: 5]), false), (bytes([0: 1, 40: 5]), false), (bytes([3: 1]), false),
      (FileHeader.streaming.bytes + bytes([:]), true),
      (FileHeader.blank.bytes + bytes([:]), false), ([], true),
    ] {
      do {
        let file = try SystemFiles().open(path: path, mode: .readWriteCreating)
        try file.resize(to: 0)
        try contents.withUnsafeBytes { try file.write($0, at: 0) }
      }
      if isCopy {
        try SideFile.removeUnfinishedCopy(path)
        expectFalse(access(path, F_OK) == 0)
      } else {
        #expect(throws: StorageError.self) { try SideFile.removeUnfinishedCopy(path) }
        expectTrue(access(path, F_OK) == 0)
      }
    }
  }

  // MARK: Address space

  /// If a reservation is too large, whatever may be smaller is made smaller.
  @Test func reservationsShrinkAsTheyMay() throws {
    let (small, huge) = (1 << 20, 1 << 47)
    for (file, slab, least) in [(small, huge, small), (huge, 16 << 20, small)] {
      let reservation = try AddressReservation(
        path: "shrunk", fileCapacity: file, slabCapacity: slab, minimumFileCapacity: least,
        slabs: SlabSpace(byteLimit: 1 << 48))
      expectTrue(reservation.fileCapacity <= file)
      expectTrue(reservation.slabCapacity <= slab)
      expectTrue(reservation.fileCapacity + reservation.slabCapacity < huge)
    }
    #expect(throws: StorageError.self) {
      try AddressReservation(
        path: "too large", fileCapacity: huge, slabCapacity: 16 << 20, minimumFileCapacity: huge,
        slabs: SlabSpace(byteLimit: 1 << 48))
    }
  }

  /// `SlabSpace` 1: a slab that nobody uses goes and comes back, also behind one in use.
  @Test func idleSlabsAreDetached() throws {
    let slabs = SlabSpace(byteLimit: 1 << 40)
    func reserve() throws -> AddressReservation {
      try AddressReservation(
        path: "slab", fileCapacity: 1 << 16, slabCapacity: 1 << 16, minimumFileCapacity: 1 << 16,
        slabs: slabs)
    }
    let (used, idle) = (try reserve(), try reserve())
    expectFalse(slabs.detachIdle())
    idle.giveSlabBack()
    expectTrue(slabs.detachIdle())
    expectFalse(slabs.detachIdle())
    expectTrue(idle.takeSlab())
    (idle.base + idle.slabStart).storeBytes(of: 5, as: UInt64.self)
    withExtendedLifetime(used) {}
  }

  /// An encrypted file has room for its codes, and is as long as its pages need.
  @Test func encryptedFilesAreCut() throws {
    let file = try MemoryFiles.makeFile(named: "encrypted")
    let key = try #require(EncryptionKey([UInt8](repeating: 7, count: EncryptionKey.byteCount)))
    let encrypted = try EncryptedFile(file, key: key)
    for byteCount in [8192, 4096, 4097, 64 * 4096, 65 * 4096] {
      try encrypted.resize(to: byteCount)
      let end = (byteCount + 4095) / 4096 * 4096
      try expectEqual(file.byteCount(), EncryptedLayout.fileByteCount(image: end))
      try expectEqual(encrypted.byteCount(), end)
    }
  }

  // MARK: Calls of the system

  /// A file that takes nothing, and does not say why.
  private final class SilentFile: LayeredFile {
    let file: any StorageFile

    init(file: any StorageFile) { self.file = file }

    func byteCount() throws(StorageError) -> Int { try file.byteCount() }

    func readSome(
      into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(StorageError) -> Int { try file.readSome(into: buffer, at: offset) }

    func writeSome(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int { 0 }

    func syncOnce() throws(StorageError) { try file.syncOnce() }

    func resize(to byteCount: Int) throws(StorageError) { try file.resize(to: byteCount) }

    func allocate(_ range: Range<Int>) throws(StorageError) { try file.allocate(range) }

    func map(
      _ range: Range<Int>, at address: UnsafeMutableRawPointer, isWritable: Bool
    ) throws(StorageError) { try file.map(range, at: address, isWritable: isWritable) }
  }

  /// Nothing can be written to a file that takes nothing, but nothing.
  @Test(.timeLimit(.minutes(10))) func filesThatTakeNothingAreFull() throws {
    let file = SilentFile(file: try MemoryFiles.makeFile(named: "silent"))
    let full = StorageError.system(operation: "Writing", path: file.path, code: ENOSPC)
    #expect(throws: full) { try file.write(UInt64(1), at: 0) }
    let directory = try TemporaryDirectory()
    let real = try SystemFiles().open(path: directory.file("a"), mode: .readWriteCreating)
    try expectEqual(real.writeSome(UnsafeRawBufferPointer(start: nil, count: 0), at: 0), 0)
    try expectEqual(real.byteCount(), 0)
  }

  /// The folder of a name is the present one, and that of a file at the root is the root.
  @Test func folderOfAnyPathIsSynced() throws {
    let directory = try TemporaryDirectory()
    for path in ["name", "/name", directory.file("name"), "./name"] {
      try SystemDirectory.sync(of: path)
    }
    let missing = directory.path + "/missing"
    #expect(throws: StorageError.system(operation: "Opening", path: missing, code: ENOENT)) {
      try SystemDirectory.sync(of: missing + "/name")
    }
  }

  // MARK: Copies of others

  /// A link to nothing is neither followed nor waited for.
  @Test(.timeLimit(.minutes(10))) func aLinkToNothingIsNoCopy() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("copy")
    expectEqual(symlink(directory.file("nothing"), path), 0)
    try expectTrue(SideFile.resumeCopy(path, rights: nil) == nil)
    expectEqual(access(directory.file("nothing"), F_OK), -1)
  }

  /// A file that was removed, or that another took the place of, is not in its place.
  @Test func aFileInItsPlaceIsTheOneAtItsPath() throws {
    let directory = try TemporaryDirectory()
    let (path, other) = (directory.file("a"), directory.file("b"))
    let first = try #require(try SideFile.resumeCopy(path, rights: nil))
    let second = try #require(try SideFile.resumeCopy(other, rights: nil))
    expectTrue(SideFile.isInPlace(first))
    expectEqual(rename(other, path), 0)
    expectFalse(SideFile.isInPlace(first))
    expectFalse(SideFile.isInPlace(second))
    expectEqual(unlink(path), 0)
    expectFalse(SideFile.isInPlace(first))
  }

  #if os(Linux)
  /// Where a new file cannot get the group of another one, its own group gets no rights of that
  /// group. Nor does it wait for a copy that it must not open.
  @Test(.enabled(if: geteuid() == 0), .timeLimit(.minutes(10)))
  func othersGetNoRightsOfAGroup() async {
    await #expect(processExitsWith: .success) {
      let directory = try TemporaryDirectory()
      chmod(directory.path, 0o755)
      // The folders above may be closed for others.
      chdir(directory.path)
      let source = open("source", O_RDWR | O_CREAT, 0o600)
      fchmod(source, 0o640)
      let new = open("new", O_RDWR | O_CREAT, 0o600)
      fchown(new, 65_534, 65_534)
      let rights = try #require(FileRights(of: "source"))
      setgroups(0, nil)
      setegid(65_534)
      seteuid(65_534)
      rights.apply(toNew: new)
      fchmod(source, 0)
      let copy = try SideFile.resumeCopy("source", rights: nil)
      var status = stat()
      fstat(new, &status)
      seteuid(0)
      setegid(0)
      try #require(status.st_mode & 0o777 == 0o600)
      try #require(copy == nil)
    }
  }
  #endif
}
