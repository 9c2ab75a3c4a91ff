// SPDX-License-Identifier: Apache-2.0

// What went wrong, as a program sees it.

import Foundation
import RealmStorage
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

struct RealmErrorTests {
  @Test func codesHaveTheirNumbers() {
    let codes: [(Realm.Error.Code, Int)] = [
      (.fail, 1), (.fileAccess, 2), (.filePermissionDenied, 3), (.fileExists, 4),
      (.fileNotFound, 5), (.fileFormatUpgradeRequired, 6), (.incompatibleLockFile, 8),
      (.addressSpaceExhausted, 9), (.schemaMismatch, 10), (.alreadyOpen, 12), (.invalidInput, 13),
      (.outOfDiskSpace, 14), (.incompatibleSession, 15), (.unsupportedFileFormatVersion, 16),
      (.multipleSyncAgents, 17), (.subscriptionFailed, 18), (.fileOperationFailed, 19),
      (.invalidDatabase, 20), (.incompatibleHistories, 21), (.noSubscriptionForWrite, 22),
    ]
    for (code, number) in codes {
      expectEqual(code.rawValue, number)
      let error = Realm.Error(code)
      expectEqual(error.code, code)
      expectEqual(error._code, number)
      expectEqual(error._domain, "io.realm")
      #expect((error as NSError).code == number)
      #expect((error as NSError).domain == "io.realm")
    }
  }

  /// Every error of the engine with its code, and the documented part of its text.
  @Test func errorsOfTheEngineHaveCodesAndTexts() {
    let path = "/data/x.realm"
    func system(_ code: Int32, _ operation: String = "Opening") -> StorageError {
      .system(operation: operation, path: path, code: code)
    }
    let opening = "Failed to open Realm file at path '\(path)': "
    // Calls, as an array of all of them takes the compiler a minute.
    func check(_ error: StorageError, _ code: Realm.Error.Code, _ text: String) {
      let told = Realm.Error(error, path: path)
      expectEqual(told.code, code, "\(error)")
      expectTrue(told.localizedDescription.contains(text), "\(told.localizedDescription)")
      let failed = code == .fileOperationFailed ? path + ".lock" : path
      expectEqual(told.fileURL?.path, failed)
      expectEqual((told as NSError).localizedDescription, told.localizedDescription)
    }
    check(
      system(EACCES), .filePermissionDenied,
      opening + "Permission denied. Please use a path where your app has read-write permissions.")
    check(system(ENOENT), .fileNotFound, opening + "No such file or directory")
    check(system(EISDIR), .fileAccess, opening)
    check(
      system(ENOTDIR), .fileOperationFailed,
      "Failed to open file at path '\(path).lock': parent path is not a directory")
    check(
      .system(operation: "Opening", path: path + ".lock", code: EACCES), .filePermissionDenied,
      opening + "Permission denied for '\(path).lock'. Please use a path")
    check(system(EIO, "Reading"), .fileAccess, "Reading of '\(path)' failed: ")
    check(
      system(ENOLCK, "Locking"), .fileAccess,
      "No locks available. The file system has no file locks, like some networks: use a path on a")
    check(system(ENOSPC, "Writing"), .outOfDiskSpace, "Writing of '\(path)' failed: ")
    check(
      .formatUpgradeRequired(path: path, version: 9), .fileFormatUpgradeRequired,
      opening + "Database upgrade required but prohibited.")
    check(
      .unsupportedFormat(path: path, version: 99), .unsupportedFileFormatVersion,
      opening + "Database has an unsupported version (99) and cannot be upgraded")
    check(.incompatibleLockFile(path: path, reason: "Held."), .incompatibleLockFile, "Held.")
    check(
      .foreignFile(path: path + ".lock", role: "lock file", found: "a symbolic link"), .fileAccess,
      "The lock file '\(path).lock' cannot be used: in its place is a symbolic link.")
    check(.addressSpaceExhausted(path: path, byteCount: 8), .addressSpaceExhausted, path)
    check(
      .notADatabase(path: path, reason: "Garbage."), .invalidDatabase, opening + "Garbage.")
    check(.corrupted("odd ref"), .invalidDatabase, "damaged: odd ref")
    check(
      .incompatibleHistory(path: path, type: 3), .incompatibleHistories,
      opening + "Incompatible histories.")
    check(.poisoned(path: path), .fileAccess, "sync of '\(path)' failed")
    check(.limitExceeded("Too long."), .invalidInput, "Too long.")
    check(
      .differentKey(path: path), .alreadyOpen,
      "Realm at path '\(path)' already opened with a different encryption key.")
    check(
      .threadUnavailable(path: path, purpose: "to wait"), .fail,
      "No thread could be started for the Realm at path '\(path)', to wait.")
    check(
      .forkedProcess(path: path), .fail,
      "cannot be used: the process was forked from one that has used Realms.")
    check(
      .encryptionUnavailable(path: path, reason: "no libcrypto."), .invalidInput,
      "The Realm at path '\(path)' cannot be encrypted or decrypted: no libcrypto.")
  }

  @Test func errorsOfSynchronisedFilesHaveCodesAndTexts() {
    let path = "/data/x.realm"
    let known: [(StorageError, Realm.Error.Code, String)] = [
      (
        .incompatibleHistory(path: path, type: 2, asSynchronised: true), .incompatibleHistories,
        "Realm file at path '\(path)' has history type '2', but is being opened in "
          + "synchronized history mode."
      ),
      (
        .unsupportedHistory(path: path, version: 13), .incompatibleHistories,
        "Failed to open Realm file at path '\(path)': Incompatible histories."
      ),
      (.pendingUploads(path: path), .fail, "has changes that are not uploaded"),
      (.multipleAgents(path: path), .multipleSyncAgents, "is synchronised already"),
    ]
    for (error, code, text) in known {
      let told = Realm.Error(error, path: path)
      expectEqual(told.code, code, "\(error)")
      expectTrue(told.localizedDescription.contains(text), "\(told.localizedDescription)")
      expectEqual(told.fileURL?.path, path)
    }
  }

  @Test func errorsAreComparedByCodeAndDomain() {
    let first: any Error = Realm.Error(.fileNotFound, userInfo: [:])
    let second: any Error = Realm.Error(
      .fileNotFound, userInfo: [NSLocalizedDescriptionKey: "elsewhere"])
    expectTrue(first == second)
    #expect(!(first == Realm.Error(.fileAccess) as any Error))
    #expect(!(first == NSError(domain: "other", code: 5) as any Error))
    expectTrue(Realm.Error(.fail) == Realm.Error.callFailed)
  }

  @Test func errorsAreCaughtByCodeAndByValue() {
    func caught(_ error: any Error) -> String {
      do { throw error } catch Realm.Error.fileNotFound {
        return "not found"
      } catch Realm.Error(.schemaMismatch) {
        return "mismatch"
      } catch {
        return "other"
      }
    }
    expectEqual(caught(Realm.Error(.fileNotFound)), "not found")
    expectEqual(caught(Realm.Error(Realm.Error.schemaMismatch)), "mismatch")
    expectEqual(caught(Realm.Error(.fail)), "other")
    expectEqual(caught(CancellationError()), "other")
  }

  @Test func codesAreNamesOfErrorsToo() {
    let codes: [Realm.Error.Code] = [
      Realm.Error.fail, Realm.Error.fileAccess, Realm.Error.filePermissionDenied,
      Realm.Error.fileExists, Realm.Error.fileNotFound, Realm.Error.fileFormatUpgradeRequired,
      Realm.Error.incompatibleLockFile, Realm.Error.addressSpaceExhausted,
      Realm.Error.schemaMismatch, Realm.Error.alreadyOpen, Realm.Error.invalidInput,
      Realm.Error.outOfDiskSpace, Realm.Error.incompatibleSession,
      Realm.Error.unsupportedFileFormatVersion, Realm.Error.multipleSyncAgents,
      Realm.Error.subscriptionFailed, Realm.Error.fileOperationFailed,
      Realm.Error.invalidDatabase, Realm.Error.incompatibleHistories,
      Realm.Error.noSubscriptionForWrite,
    ]
    expectEqual(
      codes.map(\.rawValue),
      [
        1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22,
      ])
    expectEqual(Realm.Error.Code(rawValue: 5), .fileNotFound)
    expectTrue(Realm.Error.Code(rawValue: 7) == nil)
  }

  @Test func errorsAreThoseOfFoundation() {
    let error = Realm.Error(.fileExists, userInfo: [NSLocalizedDescriptionKey: "There is one."])
    expectEqual(Realm.Error.errorDomain, "io.realm")
    expectEqual(error.errorCode, 4)
    expectEqual(error.errorUserInfo[NSLocalizedDescriptionKey] as? String, "There is one.")
    expectTrue(error.errorDescription == "There is one.")
    expectTrue(error.description == "There is one.")
  }

  @Test func userInfoHoldsTextAndPath() {
    let error = Realm.Error(
      .fileExists,
      userInfo: [NSLocalizedDescriptionKey: "There is one.", NSFilePathErrorKey: "/data/y.realm"])
    expectEqual(error.localizedDescription, "There is one.")
    expectEqual(error.fileURL?.path, "/data/y.realm")
    expectEqual(error.userInfo[NSLocalizedDescriptionKey] as? String, "There is one.")
    expectEqual(error.userInfo[NSFilePathErrorKey] as? String, "/data/y.realm")
    expectEqual(Realm.Error(.fileExists).fileURL, nil)
  }

  @Test func aFileInAFileIsRefused() throws {
    let file = try TemporaryRealm()
    do { _ = try file.open() }
    let inside = try #require(file.configuration.fileURL).appendingPathComponent("x.realm")
    let error = #expect(throws: Realm.Error.self) {
      try Realm(configuration: Realm.Configuration(fileURL: inside, objectTypes: [AllTypes.self]))
    }
    expectEqual(error?.code, .fileOperationFailed)
    expectEqual(error?.fileURL?.path, inside.path + ".lock")
    expectEqual(
      error?.localizedDescription,
      "Failed to open file at path '\(inside.path).lock': parent path is not a directory")
  }

  @Test func aFileThatIsTooSmall() throws {
    let file = try TemporaryRealm()
    let url = try #require(file.configuration.fileURL)
    try Data("tiny".utf8).write(to: url)
    let error = #expect(throws: Realm.Error.self) { try file.open() }
    expectEqual(error?.code, .invalidDatabase)
    expectEqual(
      error?.localizedDescription.contains(
        "Failed to open Realm file at path '\(url.path)': file is non-empty but too small (4 bytes)"
          + " to be a valid Realm."), true)
  }
}
