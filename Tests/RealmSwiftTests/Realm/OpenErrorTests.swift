// SPDX-License-Identifier: Apache-2.0

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

/// What cannot be opened is refused with a code, the path and a remedy, and is left as it was.
struct OpenErrorTests {
  private func error(opening file: TemporaryRealm) throws -> Realm.Error {
    try #require(throws: Realm.Error.self) { _ = try file.open() }
  }

  private func error(openingBytes bytes: Data) throws -> (Realm.Error, TemporaryRealm) {
    let file = try TemporaryRealm()
    let url = try #require(file.configuration.fileURL)
    try bytes.write(to: url)
    let error = try error(opening: file)
    expectTrue(error.localizedDescription.contains(url.path))
    expectEqual(error.fileURL?.path, url.path)
    try expectEqual(Data(contentsOf: url), bytes)
    return (error, file)
  }

  @Test func aTruncatedFile() throws {
    let file = try TemporaryRealm()
    do {
      let realm = try file.open()
      try realm.write {
        for index in 0..<500 { realm.create(Person.self, value: ["id": index, "name": "n"]) }
      }
    }
    let url = try #require(file.configuration.fileURL)
    let whole = try Data(contentsOf: url)
    for length in [8, 24, 4096] {
      let (error, _) = try error(openingBytes: whole.prefix(length))
      expectEqual(error.code, .invalidDatabase, "\(length) bytes: \(error)")
    }
  }

  @Test func aFileOfZeros() throws {
    let (error, _) = try error(openingBytes: Data(count: 8192))
    expectEqual(error.code, .invalidDatabase)
  }

  @Test func aTextFile() throws {
    let text = String(repeating: "Dear diary, today I opened a text file. ", count: 200)
    let (error, _) = try error(openingBytes: Data(text.utf8))
    expectEqual(error.code, .invalidDatabase)
  }

  @Test func aFileOfANewerFormat() throws {
    let file = try TemporaryRealm()
    do { _ = try file.open() }
    var bytes = try Data(contentsOf: try #require(file.configuration.fileURL))
    bytes[20] = 99
    bytes[21] = 99
    let (error, _) = try error(openingBytes: bytes)
    expectEqual(error.code, .unsupportedFileFormatVersion)
    #expect(
      error.localizedDescription.contains("Database has an unsupported version (99)"))
  }

  @Test func aDirectory() throws {
    let file = try TemporaryRealm()
    file.configuration.fileURL = file.directory
    let error = try error(opening: file)
    expectTrue(error.code == .fileAccess || error.code == .filePermissionDenied)
    expectTrue(error.localizedDescription.contains(file.directory.path))
  }

  @Test func aMissingDirectory() throws {
    let file = try TemporaryRealm()
    file.configuration.fileURL = file.directory.appendingPathComponent("no/such.realm")
    let error = try error(opening: file)
    expectEqual(error.code, .fileNotFound)
    let folder = file.directory.appendingPathComponent("no").path
    expectTrue(
      error.localizedDescription.hasSuffix(
        ": No such file or directory. There is no folder '\(folder)': make it first."))
  }

  @Test func aMissingFileReadOnly() throws {
    let file = try TemporaryRealm()
    file.configuration.readOnly = true
    let error = try error(opening: file)
    expectEqual(error.code, .fileNotFound)
    expectTrue(
      error.localizedDescription.hasSuffix(
        ": No such file or directory. Its folder has no such file; one that is opened for reading "
          + "alone must be there."))
    do {
      _ = try file.open()
    } catch Realm.Error.fileNotFound {
      return
    }
    Issue.record("the pattern did not match")
  }

  @Test(.enabled(if: geteuid() != 0, "permissions do not bind root")) func noPermission() throws {
    let file = try TemporaryRealm()
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o500], ofItemAtPath: file.directory.path)
    let error = try error(opening: file)
    expectEqual(error.code, .filePermissionDenied)
    #expect(
      error.localizedDescription.contains(
        "Please use a path where your app has read-write permissions."))
  }

  @Test func aPathThatNobodyMayWrite() throws {
    let file = try TemporaryRealm()
    file.configuration.fileURL = URL(fileURLWithPath: "/proc/unwritable.realm")
    let error = try error(opening: file)
    expectTrue([.filePermissionDenied, .fileNotFound, .fileAccess].contains(error.code))
    expectTrue(error.localizedDescription.contains("/proc/unwritable.realm"))
  }
}
