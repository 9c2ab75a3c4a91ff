// SPDX-License-Identifier: Apache-2.0

// The shortest files that are databases, and what is said of a file before it is opened.

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

struct OpeningLimitTests {
  private func words(_ words: [UInt64]) -> [UInt8] {
    words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
  }

  /// The end of a copy: where its top array is.
  private func footer(_ topRef: UInt64) -> [UInt8] { words([topRef, FileHeader.footerCookie]) }

  /// A copy without anything has a header and an end.
  @Test(arguments: [(40, true), (32, false), (24, false), (48, true)])
  func theShortestCopyIsOpened(byteCount: Int, isOpened: Bool) throws {
    let gap = [UInt8](repeating: 0, count: max(0, byteCount - 40))
    let contents = Array((FileHeader.streaming.bytes + gap + footer(0)).prefix(max(byteCount, 24)))
    let system = try SimulatedFileSystem(contents: contents)
    if isOpened {
      try expectEqual(system.openDatabase().newestVersion, 1)
    } else {
      #expect(throws: StorageError.self) { try system.openDatabase() }
    }
  }

  /// The top array of a copy may be its first node, and lies in the file.
  @Test func theTopArrayLiesBehindTheHeader() throws {
    let top = NodeHeader(flags: .hasRefs, layout: .bits, widthCode: 7, count: 3)
    let names = NodeHeader(flags: [], layout: .multiply, widthCode: 0, count: 0)
    let tables = NodeHeader(flags: .hasRefs, layout: .bits, widthCode: 0, count: 0)
    let nodes = words([
      top.bits, 56, 64, UInt64(bitPattern: Tagged.slot(72)), names.bits, tables.bits,
    ])
    for (topRef, isOpened) in [(24, true), (16, false), (8, false), (28, false), (88, false)] {
      let contents = FileHeader.streaming.bytes + nodes + footer(UInt64(topRef))
      let system = try SimulatedFileSystem(contents: contents)
      if isOpened {
        let file = try system.openDatabase()
        try expectEqual(file.snapshot().roots, VersionRoots(tableNames: Ref(56), tables: Ref(64)))
        try expectEqual(file.check(), [])
      } else {
        let error = #expect(throws: StorageError.self) { try system.openDatabase() }
        if case .notADatabase = error { continue }
        Issue.record("\(topRef): \(String(describing: error))")
      }
    }
  }

  // MARK: The version before

  /// A file of 256 bytes with the top array of a version at 24.
  private func image(ofVersion version: Int) -> [UInt64] {
    var words = [UInt64](repeating: 0, count: 32)
    words[3] = NodeHeader(flags: .hasRefs, layout: .bits, widthCode: 7, count: 7).bits
    for (index, slot) in [200, 208, Tagged.slot(256), 0, 0, 0, Tagged.slot(version)].enumerated() {
      words[4 + index] = UInt64(bitPattern: slot)
    }
    return words
  }

  /// The other slot of a header names a version that may have been selected, if it is older, and
  /// not much.
  @Test func theVersionBeforeIsProtected() {
    let current: UInt64 = 100
    for (version, isKnown) in [
      (99, true), (36, true), (35, false), (100, false), (101, false), (1, false),
    ] as [(UInt64, Bool)] {
      image(ofVersion: Int(version)).withUnsafeBytes { bytes in
        guard let base = bytes.baseAddress else { return }
        var header = FileHeader.blank
        header.topRefs = (128, 24)
        let start = SessionStart(
          VersionEntry(version: current, topRef: Ref(128), logicalSize: 256), after: header,
          in: NodeSpace(base: base, fileEnd: bytes.count))
        expectEqual(
          start.alternative, isKnown ? version : SessionStart.unknownAlternative, "\(version)")
      }
    }
  }

  /// A file of which no version was ever selected has none that the disk could select.
  @Test func thereIsNoVersionBeforeTheFirst() {
    image(ofVersion: 2).withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      var header = FileHeader.blank
      header.topRefs = (0, 24)
      let start = SessionStart(
        VersionEntry(version: 3, topRef: .null, logicalSize: 256), after: header,
        in: NodeSpace(base: base, fileEnd: bytes.count))
      expectEqual(start.alternative, SessionStart.noAlternative)
    }
  }

  /// `CommitRecord` 5: before a session writes, the slot that is not selected names nothing, unless
  /// it cannot be one of a version with a record.
  @Test func slotsOfLostVersionsNameNothing() throws {
    func header(_ formats: (UInt8, UInt8), flags: UInt8, _ first: UInt64 = 128) -> FileHeader {
      FileHeader(topRefs: (first, 24), formatVersions: formats, reserved: 0, flags: flags)
    }
    for (found, refs) in [
      (header((24, 24), flags: 0), [128, 0]), (header((24, 24), flags: 1), [0, 24]),
      (header((23, 23), flags: 0), [128, 24]), (header((24, 23), flags: 0), [128, 24]),
      (header((23, 24), flags: 1), [128, 24]),
      (
        header((24, 24), flags: 0, FileHeader.streamingMark), [FileHeader.streamingMark, 24]
      ),
    ] as [(FileHeader, [UInt64])] {
      let system = try SimulatedFileSystem(contents: found.bytes)
      let left = try system.file.syncAsFound(found)
      expectEqual([left.topRefs.0, left.topRefs.1], refs, "\(found)")
      try expectEqual(system.file.contents(), left.bytes)
    }
  }

  // MARK: What is said of a file

  private func commit(_ file: DatabaseFile, _ numbers: [Int64]) throws {
    let write = try file.beginWrite()
    try NumberTree.replace(with: numbers, in: write)
    _ = try write.commit(changeset: [])
  }

  /// A check reads on where a checksum differs: it takes the version without comparing them.
  @Test func aVersionIsReadWithoutChecksums() throws {
    let file = try SimulatedFileSystem().openDatabase()
    try commit(file, [1])
    let plain = try file.snapshot()
    expectTrue(try plain.withoutVerification() === plain)
    file.verifyChecksums()
    let verified = try file.snapshot()
    expectTrue(verified.space.isVerifying)
    expectFalse(try verified.withoutVerification().space.isVerifying)
    expectEqual(try verified.withoutVerification().version, verified.version)
  }

  /// A commit changes the stamp of a file; without a file there is none.
  @Test func commitsChangeTheStamp() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("a.realm")
    expectEqual(DatabaseFile.stamp(ofFileAt: path), nil)
    let file = try DatabaseFile.open(path: path)
    try commit(file, [1])
    let first = try #require(DatabaseFile.stamp(ofFileAt: path))
    expectEqual(DatabaseFile.stamp(ofFileAt: path), first)
    try commit(file, [2])
    expectFalse(DatabaseFile.stamp(ofFileAt: path) == first)
    try expectEqual(Int(first[1]), file.fileByteCount())
    expectEqual(first[4], 24)
  }

  /// A file is settled if its length is that of its version, and its header selects it.
  @Test func aLongerFileIsNotSettled() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("a.realm")
    do {
      let file = try DatabaseFile.open(path: path)
      try commit(file, [1, 2])
      try expectEqual(file.isSettled(), true)
    }
    func isSettled() throws -> Bool {
      let (file, isShared) = try DatabaseFile.openForReading(path: path)
      expectFalse(isShared)
      return try file.isSettled()
    }
    try expectEqual(isSettled(), true)
    let file = try SystemFiles().open(path: path, mode: .readWrite)
    let byteCount = try file.byteCount()
    try file.resize(to: byteCount + SystemFiles.pageSize)
    try expectEqual(isSettled(), false)
    try file.resize(to: byteCount)
    try expectEqual(isSettled(), true)
  }

  /// A program that watches opens a file with the history that it has.
  @Test(arguments: [HistoryKind.inFile, .syncClient]) func filesAreWatched(
    history: HistoryKind
  ) throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("a.realm")
    do {
      let file = try DatabaseFile.open(path: path, options: OpenOptions(history: history))
      try commit(file, [1])
      let (reader, isShared) = try DatabaseFile.openForReading(path: path)
      expectTrue(isShared)
      expectTrue(reader === file)
    }
    let watched = try DatabaseFile.openToWatch(path: path)
    expectEqual(watched.newestVersion, 2)
    expectEqual(watched.options.history, history)
  }

  /// Another file takes the place of one, which is kept under another name.
  @Test func aFileIsReplacedAndKept() throws {
    let directory = try TemporaryDirectory()
    let paths = ["a", "b", "kept"].map { directory.file($0) }
    func contents(_ path: String) throws -> UInt8 {
      let file = try SystemFiles().open(path: path, mode: .readOnly)
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1, alignment: 1)
      defer { buffer.deallocate() }
      return try file.read(into: buffer, at: 0) == 1 ? buffer[0] : 0
    }
    for (index, path) in paths.enumerated() {
      let file = try SystemFiles().open(path: path, mode: .readWriteCreating)
      try file.write(UInt8(index + 1), at: 0)
    }
    let files = WatchedFiles()
    try DatabaseFile.replace(path: paths[0], by: paths[1], keepingAs: paths[2], system: files)
    expectEqual(files.syncedDirectories, [directory.path])
    try expectEqual(contents(paths[0]), 2)
    try expectEqual(contents(paths[2]), 1)
    expectFalse(access(paths[1], F_OK) == 0)
  }

  @Test func aFileOpenedForReadingIsNotResized() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("a")
    _ = try SystemFiles().open(path: path, mode: .readWriteCreating)
    let file = try SystemFiles().open(path: path, mode: .readOnly)
    #expect(throws: StorageError.self) { try file.resize(to: 8) }
  }

  @Test func snapshotsAreEqualThatAreOfOneVersion() throws {
    let files = try ["first", "second"].map {
      try DatabaseFile.open(path: "equal-\($0)", options: OpenOptions(isInMemory: true))
    }
    let old = try files[0].snapshot()
    for file in files { try commit(file, [1]) }
    let newest = try files.map { try $0.snapshot() }
    for (left, right, isEqual) in [
      (newest[0], newest[0], true), (newest[0], try files[0].snapshot(), true),
      (newest[0], old, false), (newest[0], newest[1], false), (old, newest[1], false),
    ] {
      let found = left == right
      expectEqual(found, isEqual)
    }
  }

  /// What older versions need counts as theirs, and what was freed with them does not.
  @Test func pinnedBytesAreThoseFreedSince() throws {
    let file = try DatabaseFile.open(
      path: "pinned-bytes", options: OpenOptions(isInMemory: true))
    var held: [Snapshot] = []
    for step in 1...4 {
      try commit(file, (0..<3000).map { Int64($0 * step) << 20 })
      held.append(try file.snapshot())
    }
    let newest = try file.snapshot()
    let blocks = try FreeSpace(newest.top(), in: newest.space).blocks
    func byteCount(after version: UInt64) -> Int {
      blocks.reduce(0) { $1.tag > version ? $0 + $1.byteCount : $0 }
    }
    for snapshot in held {
      try expectEqual(file.pinnedByteCount(by: snapshot), byteCount(after: snapshot.version))
      if snapshot.version < newest.version {
        expectTrue(blocks.contains { $0.tag == snapshot.version } || snapshot === held[0])
      }
    }
    for count in 1..<3 {
      held.removeFirst()
      let oldest = held[0].version
      let statistics = try file.statistics()
      expectEqual(statistics.pinnedByteCount, byteCount(after: oldest), "\(count)")
      expectEqual(
        statistics.freeByteCount, blocks.reduce(0) { $0 + $1.byteCount } - byteCount(after: oldest))
    }
  }

  /// A file that nobody can write to any more does not keep the right to write.
  @Test func aPoisonedFileIsNotKeptBusy() throws {
    let file = try DatabaseFile.open(
      path: "poisoned-restart", options: OpenOptions(isInMemory: true))
    let write = try file.beginWrite()
    file.poison()
    #expect(throws: StorageError.self) { try write.restarted() }
    try expectTrue(file.writers.startAtOnce(on: file) != nil)
  }
}
