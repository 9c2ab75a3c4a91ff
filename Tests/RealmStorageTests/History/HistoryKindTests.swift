// SPDX-License-Identifier: Apache-2.0

// Which files are opened with which kind of history (invariants of `HistoryKind`).

import Foundation
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct HistoryKindTests {
  private let directory: TemporaryDirectory
  private let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.file("a.realm")
  }

  /// Opens as a separate process would.
  private func open(_ kind: HistoryKind, isReadOnly: Bool = false) throws -> DatabaseFile {
    try DatabaseFile.open(
      path: path, options: OpenOptions(isReadOnly: isReadOnly, history: kind),
      system: SystemFiles(), registry: FileRegistry())
  }

  private func commit(_ kind: HistoryKind) throws {
    _ = try open(kind).beginWrite().commit(changeset: [])
  }

  /// `HistoryKind` 1.
  @Test(arguments: [HistoryKind.inFile, .syncClient])
  func aNewFileTakesTheKindThatItIsOpenedWith(_ kind: HistoryKind) throws {
    do { _ = try open(kind == .inFile ? .syncClient : .inFile) }
    try commit(kind)
    try commit(kind)
    let top = try open(kind).snapshot().top()
    expectEqual(top.historyType, kind.type)
    expectEqual(top.historySchemaVersion, (kind == .inFile ? 1 : 12))
    expectEqual(top.slotCount, 11)
  }

  /// `HistoryKind` 1 and 2.
  @Test func aLocalFileIsNotSynchronised() throws {
    try commit(.inFile)
    let error = #expect(throws: StorageError.self) { try open(.syncClient) }
    expectEqual(error, .incompatibleHistory(path: path, type: 2, asSynchronised: true))
    expectEqual(
      error?.description,
      "Realm file at path '\(path)' has history type '2', but is being "
        + "opened in synchronized history mode.")
    _ = try open(.syncClient, isReadOnly: true).snapshot()
  }

  /// `HistoryKind` 1 and 2.
  @Test func aSynchronisedFileIsNotOpenedAsLocal() throws {
    try commit(.syncClient)
    let error = #expect(throws: StorageError.self) { try open(.inFile) }
    expectEqual(error, .incompatibleHistory(path: path, type: 3))
    try expectEqual(open(.inFile, isReadOnly: true).snapshot().syncHistory()?.count, 1)
  }

  /// `HistoryKind` 1.
  @Test(arguments: [0, 4]) func filesOfOtherTypesAreNotSynchronised(_ type: Int) throws {
    var contents = WorkedExamples.firstCommit
    contents[0x3C0 + 28] = UInt8(type << 1 | 1)
    try Data(contents).write(to: URL(fileURLWithPath: path))
    #expect(
      throws: StorageError.incompatibleHistory(path: path, type: type, asSynchronised: true)
    ) {
      try open(.syncClient)
    }
  }

  @Test func unknownFormsOfTheHistoryAreRefused() throws {
    try commit(.syncClient)
    var contents = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    let top = Int(contents[23] & 1) * 8
    let topRef = Int(contents[top]) | Int(contents[top + 1]) << 8
    let width = [0, 1, 2, 4, 8, 16, 32, 64][Int(contents[topRef + 4] & 7)] / 8
    for version in [10, 13] {
      contents[topRef + 8 + 9 * width] = UInt8(version << 1 | 1)
      try Data(contents).write(to: URL(fileURLWithPath: path))
      #expect(throws: StorageError.unsupportedHistory(path: path, version: version)) {
        try open(.syncClient)
      }
      let file = try open(.inFile, isReadOnly: true)
      #expect(throws: StorageError.unsupportedHistory(path: path, version: version)) {
        try file.snapshot().syncHistory()
      }
    }
  }

  @Test func whoJoinsChecksTheKind() throws {
    let local = try open(.inFile)
    _ = try local.beginWrite().commit(changeset: [])
    #expect(throws: StorageError.incompatibleHistory(path: path, type: 2, asSynchronised: true)) {
      try open(.syncClient)
    }
    _ = try open(.inFile)
  }

  /// Both opened the file before its first commit.
  @Test func theFirstCommitDecides() throws {
    let local = try open(.inFile)
    let synchronised = try open(.syncClient)
    _ = try synchronised.beginWrite().commit(changeset: [])
    #expect(throws: StorageError.incompatibleHistory(path: path, type: 3)) {
      try local.beginWrite().commit(changeset: [])
    }
    _ = try synchronised.beginWrite().commit(changeset: [])
    try expectEqual(synchronised.check(), [])
  }

  @Test func aProcessHasAFileOpenWithOneKind() throws {
    let file = try DatabaseFile.open(path: path)
    #expect(throws: StorageError.incompatibleHistory(path: path, type: 2, asSynchronised: true)) {
      try DatabaseFile.open(path: path, options: OpenOptions(history: .syncClient))
    }
    #expect(try DatabaseFile.open(path: path) === file)
    let reader = OpenOptions(isReadOnly: true, history: .syncClient)
    #expect(try DatabaseFile.open(path: path, options: reader) === file)
  }
}
