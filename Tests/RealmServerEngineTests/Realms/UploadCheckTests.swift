// SPDX-License-Identifier: Apache-2.0

// The checks of UPLOAD (P4 A.4).

import RealmSyncProtocol
import Testing

@testable import RealmServerEngine

@Suite struct UploadCheckTests {
  private func upload(
    _ entries: [(client: UInt64, server: UInt64)], progress: (client: UInt64, server: UInt64),
    locked: UInt64 = 0
  ) -> Upload {
    Upload(
      file: FileIdentifier(2),
      entries: entries.map {
        Upload.Entry(
          clientVersion: $0.client, serverVersion: $0.server,
          timestamp: OriginTimestamp(milliseconds: 0), changeset: [])
      },
      progressClientVersion: progress.client, progressServerVersion: progress.server,
      lockedServerVersion: locked)
  }

  /// The check of a session in which client version 4 and server version 8 were reached, and
  /// version 10 was sent.
  private func makeCheck() throws -> UploadCheck {
    var check = UploadCheck(cursor: DownloadCursor(serverVersion: 8, clientVersion: 3))
    check.didSend(serverVersion: 10)
    try check.check(upload([], progress: (4, 8), locked: 2))
    return check
  }

  private func code(_ upload: Upload) throws -> RefusalCode? {
    var check = try makeCheck()
    do throws(ServerRefusal) {
      try check.check(upload)
      return nil
    } catch {
      return error.code
    }
  }

  @Test func whatFitsIsAccepted() throws {
    #expect(try code(upload([(5, 8), (7, 8), (8, 10)], progress: (9, 10), locked: 10)) == nil)
    #expect(try code(upload([], progress: (4, 9), locked: 2)) == nil)
  }

  @Test func progressNeverGoesBackNorAheadOfWhatWasSent() throws {
    #expect(try code(upload([], progress: (3, 8), locked: 2)) == .badClientVersion)
    #expect(try code(upload([], progress: (4, 7), locked: 2)) == .badServerVersion)
    #expect(try code(upload([], progress: (4, 11), locked: 2)) == .badServerVersion)
    #expect(try code(upload([], progress: (4, 8), locked: 1)) == .badServerVersion)
    #expect(try code(upload([], progress: (4, 8), locked: 11)) == .badServerVersion)
  }

  @Test func entriesAreInOrderAndWithinTheProgress() throws {
    #expect(
      try code(upload([(6, 8), (6, 8)], progress: (9, 9), locked: 2)) == .badClientVersion)
    #expect(try code(upload([(10, 8)], progress: (9, 9), locked: 2)) == .badClientVersion)
    #expect(try code(upload([(0, 8)], progress: (9, 9), locked: 2)) == .badClientVersion)
    #expect(
      try code(upload([(6, 9), (7, 8)], progress: (9, 9), locked: 2)) == .badServerVersion)
    #expect(try code(upload([(6, 10)], progress: (9, 9), locked: 2)) == .badServerVersion)
  }

  @Test func entriesAreTheClientsOwnAndNotTooLarge() throws {
    var foreign = upload([(5, 8)], progress: (5, 8), locked: 2)
    foreign.entries[0].originFile = FileIdentifier(2)
    #expect(try code(foreign) == .badOriginFile)
    var large = upload([(5, 8)], progress: (5, 8), locked: 2)
    large.entries[0].changeset = Array(repeating: 0, count: (16 << 20) + 1)
    #expect(try code(large) == .badChangesetSize)
  }

  @Test func whatWasSentBeforeMayBeSentAgain() throws {
    var check = UploadCheck(cursor: DownloadCursor(serverVersion: 8, clientVersion: 3))
    try check.check(upload([(4, 2)], progress: (4, 2)))
    try check.check(upload([(5, 2)], progress: (5, 2)))
  }
}
