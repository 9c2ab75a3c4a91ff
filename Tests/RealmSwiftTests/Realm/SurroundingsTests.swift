// SPDX-License-Identifier: Apache-2.0

// Folders, files and file systems that do not let a program do what it wants: the error names the
// file and the remedy, and what can be done without the right works.

import Foundation
import RealmSwiftTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// What another user's program finds. It has no rights but those of everybody.
enum OtherUsersPlace: String, CaseIterable, Codable, Sendable {
  case emptyFolder, folderWithoutLockFile, lockFile, file, readableFile, folderWithLockFile

  /// The rights of the folder, the file and the lock file; nil where there is none.
  private var rights: (folder: Int, file: Int?, lockFile: Int?) {
    switch self {
    case .emptyFolder: (0o555, nil, nil)
    case .folderWithoutLockFile: (0o555, 0o666, nil)
    case .lockFile: (0o777, 0o666, 0o600)
    case .file: (0o777, 0o600, 0o666)
    case .readableFile: (0o777, 0o644, 0o666)
    case .folderWithLockFile: (0o555, 0o666, 0o666)
    }
  }

  /// What is named by the error of a program that wants to write; nil if it can.
  var refused: String? {
    switch self {
    case .emptyFolder, .file, .readableFile: "a.realm"
    case .folderWithoutLockFile, .lockFile: "a.realm.lock"
    case .folderWithLockFile: nil
    }
  }

  /// The error of a program that wants to read; nil if it can.
  var refusalOfReading: Realm.Error.Code? {
    switch self {
    case .emptyFolder: .fileNotFound
    case .file: .filePermissionDenied
    default: nil
    }
  }

  func make(in folder: String) throws {
    func set(_ rights: Int?, _ path: String) throws {
      guard let rights else { return try FileManager.default.removeItem(atPath: path) }
      try FileManager.default.setAttributes([.posixPermissions: rights], ofItemAtPath: path)
    }
    try set(rights.file, folder + "/a.realm")
    try set(rights.lockFile, folder + "/a.realm.lock")
    try set(rights.folder, folder)
  }
}

struct SurroundingsTests {
  private static func configuration(_ folder: String) -> Realm.Configuration {
    Realm.Configuration(
      fileURL: URL(fileURLWithPath: folder + "/a.realm"), objectTypes: [Person.self, Dog.self])
  }

  private static func fill(_ folder: String) throws {
    let realm = try Realm(configuration: configuration(folder))
    try realm.write { for id in 0..<3 { realm.create(Person.self, value: ["id": id]) } }
  }

  private static func expectReadable(_ folder: String) throws {
    var configuration = configuration(folder)
    configuration.readOnly = true
    try expectEqual(Realm(configuration: configuration).objects(Person.self).count, 3)
  }

  private static func expectRefused(_ folder: String, _ name: String, _ reason: String) {
    let error = #expect(throws: Realm.Error.self) {
      try Realm(configuration: configuration(folder))
    }
    expectEqual(error?.code, .filePermissionDenied)
    let text = error?.localizedDescription ?? ""
    expectTrue(text.contains("'\(folder)/\(name)'"), "\(text)")
    expectTrue(text.contains(reason), "\(text)")
    expectTrue(
      text.contains("Please use a path where your app has read-write permissions"), "\(text)")
  }

  /// Programs with all rights cannot be refused: this one gives its own up.
  @Test(
    .enabled(if: geteuid() == 0, "only root may become another user"),
    arguments: OtherUsersPlace.allCases)
  func rightsOfAnotherUser(_ place: OtherUsersPlace) async throws {
    let directory = try TemporaryDirectory()
    try Self.fill(directory.path)
    try place.make(in: directory.path)
    let before = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
    await #expect(processExitsWith: .success) { [folder = directory.path as String, place] in
      try #require(setgid(65_534) == 0 && setuid(65_534) == 0)
      if let name = place.refused {
        SurroundingsTests.expectRefused(folder, name, "Permission denied")
      } else {
        // The copy of a compaction finds no room; the file is used as it is.
        var configuration = SurroundingsTests.configuration(folder)
        configuration.shouldCompactOnLaunch = { _, _ in true }
        let realm = try Realm(configuration: configuration)
        try realm.write { realm.create(Person.self, value: ["id": 7]) }
        expectEqual(realm.objects(Person.self).count, 4)
        try realm.write { realm.delete(realm.objects(Person.self).where { $0.id == 7 }) }
        let copy = URL(fileURLWithPath: folder + "/copy.realm")
        let error = #expect(throws: Realm.Error.self) { try realm.writeCopy(toFile: copy) }
        expectEqual(error?.code, .filePermissionDenied)
        expectTrue(error?.localizedDescription.contains(copy.path) == true)
      }
      if let code = place.refusalOfReading {
        var configuration = SurroundingsTests.configuration(folder)
        configuration.readOnly = true
        let error = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
        expectEqual(error?.code, code)
        expectTrue(error?.localizedDescription.contains("\(folder)/a.realm") == true)
      } else {
        try SurroundingsTests.expectReadable(folder)
      }
    }
    let after = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
    expectEqual(after, before, "nothing is left")
  }

  #if os(Linux)
  @Test func aFileSystemForReadingAlone() async throws {
    let directory = try TemporaryDirectory()
    let folder = directory.file("mounted")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try Self.fill(folder)
    let flags = UInt(MS_BIND)
    // Only root may.
    guard mount(folder, folder, nil, flags, nil) == 0 else { return }
    defer { umount(folder) }
    let readOnly = flags | UInt(MS_REMOUNT) | UInt(MS_RDONLY)
    try #require(mount(nil, folder, nil, readOnly, nil) == 0)
    Self.expectRefused(folder, "a.realm", "Read-only file system")
    try Self.expectReadable(folder)
    let report = try await Realm.verifyIntegrity(configuration: Self.configuration(folder))
    expectEqual(report.findings, [])
    let url = URL(fileURLWithPath: folder + "/a.realm")
    let error = #expect(throws: Realm.Error.self) {
      try Realm.rewrite(
        configuration: Self.configuration(folder), encryptionKey: Data(count: 64))
    }
    expectEqual(error?.code, .filePermissionDenied)
    expectTrue(error?.localizedDescription.contains(url.path) == true)
  }
  #endif

  /// No promise depends on the times of files, whatever the clock says.
  @Test func timesOfFilesMeanNothing() async throws {
    let directory = try TemporaryDirectory()
    try Self.fill(directory.path)
    let configuration = Self.configuration(directory.path)
    let files = FileManager.default
    for year in [-20, 80, 0, 200] {
      let date = Date(timeIntervalSince1970: Double(year) * 365 * 86_400)
      for name in ["a.realm", "a.realm.lock"] {
        try files.setAttributes([.modificationDate: date], ofItemAtPath: directory.file(name))
      }
      try {
        let realm = try Realm(configuration: configuration)
        try realm.write { realm.create(Person.self, value: ["id": 1000 + year]) }
        // As when the clock is set while the file is open.
        try files.setAttributes(
          [.modificationDate: date], ofItemAtPath: directory.file("a.realm"))
        try realm.write { realm.create(Person.self, value: ["id": 2000 + year]) }
      }()
      let report = try await Realm.verifyIntegrity(configuration: configuration)
      expectEqual(report.findings, [])
    }
    let count = try Realm.snapshot(of: configuration) { $0.objects(Person.self).count }
    expectEqual(count, 11)
  }
}
