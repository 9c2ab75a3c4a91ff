// SPDX-License-Identifier: Apache-2.0

// The checks of IDENT (P4 A.3): each alone, and their order.

import RealmSyncProtocol
import Testing

@testable import RealmServerEngine

@Suite struct IdentCheckTests {
  private let head = RealmHead(realm: RealmID("r"), version: 20, salt: 900, epoch: 1)

  private var file: ClientFile {
    var file = ClientFile(
      ident: FileIdentifier(7), salt: 55, user: "u",
      lastSeen: OriginTimestamp(milliseconds: 1))
    file.clientVersion = 30
    file.reciprocalBase = 5
    return file
  }

  private var request: IdentRequest {
    IdentRequest(
      file: FileIdentifier(7), salt: 55,
      cursor: DownloadCursor(serverVersion: 10, clientVersion: 30),
      latestServerVersion: 12, latestServerVersionSalt: 333)
  }

  private func code(
    _ request: IdentRequest, file: ClientFile?, user: String = "u", latestSalt: UInt64? = 333,
    isBound: Bool = false
  ) -> RefusalCode? {
    do throws(ServerRefusal) {
      try IdentCheck.check(
        request, file: file, head: head, user: user, latestSalt: latestSalt, isBound: isBound)
      return nil
    } catch {
      return error.code
    }
  }

  @Test func whatFitsIsAccepted() {
    #expect(code(request, file: file) == nil)
    var fresh = request
    fresh.cursor = DownloadCursor()
    fresh.latestServerVersion = 0
    fresh.latestServerVersionSalt = 0
    var record = file
    record.reciprocalBase = 0
    #expect(code(fresh, file: record, latestSalt: nil) == nil)
  }

  @Test func eachCheckHasItsCode() {
    #expect(code(request, file: nil) == .badClientFileIdent)
    var server = request
    server.file = .server
    #expect(code(server, file: nil) == .badClientFileIdent)
    var wrong = request
    wrong.salt = 56
    #expect(code(wrong, file: file) == .divergingHistories)
    var expired = file
    expired.lastSeen = OriginTimestamp(milliseconds: 0)
    #expect(code(request, file: expired) == .clientFileExpired)
    #expect(code(request, file: file, user: "v") == .userMismatch)
    for (scan, latest) in [(4, 12), (21, 21), (10, 9), (10, 21)] as [(UInt64, UInt64)] {
      var wrong = request
      wrong.cursor.serverVersion = scan
      wrong.latestServerVersion = latest
      #expect(code(wrong, file: file) == .badServerVersion)
    }
    wrong = request
    wrong.cursor.clientVersion = 31
    #expect(code(wrong, file: file) == .badClientVersion)
    #expect(code(request, file: file, latestSalt: 334) == .divergingHistories)
    #expect(code(request, file: file, latestSalt: nil) == .divergingHistories)
    #expect(code(request, file: file, isBound: true) == .alreadyBound)
  }

  @Test func theFirstViolatedCheckCounts() {
    var request = request
    var file = file
    file.lastSeen = OriginTimestamp(milliseconds: 0)
    request.salt = 1
    request.cursor = DownloadCursor(serverVersion: 99, clientVersion: 99)
    #expect(code(request, file: file, user: "v") == .divergingHistories)
    request.salt = 55
    #expect(code(request, file: file, user: "v") == .clientFileExpired)
    file.lastSeen = OriginTimestamp(milliseconds: 1)
    #expect(code(request, file: file, user: "v") == .userMismatch)
    #expect(code(request, file: file) == .badServerVersion)
    request.cursor.serverVersion = 10
    #expect(code(request, file: file, latestSalt: 1, isBound: true) == .badClientVersion)
    request.cursor.clientVersion = 30
    #expect(code(request, file: file, latestSalt: 1, isBound: true) == .divergingHistories)
  }
}
