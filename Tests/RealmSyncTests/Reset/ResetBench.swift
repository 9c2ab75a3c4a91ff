// SPDX-License-Identifier: Apache-2.0

// A file that a server cannot go on with, and its fresh copy, without a server.

import RealmReplication
import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import RealmTestSupport
import Testing

/// A device with identifier 9 and its fresh copy with identifier 12.
struct ResetBench {
  static let cause = ResetCause(
    mayRecover: true, code: ErrorCode(SessionErrorCode.badServerVersion),
    document: ErrorDocument(message: "restored", action: .clientReset))
  static let ident = FileIdentifier(12)
  static let salt: UInt64 = 40

  let device: TestDevice
  let copy: TestDevice

  /// - Parameters:
  ///   - changesets: What the server has, class and objects.
  ///   - local: What the device has, with the number of the transactions that it has uploaded.
  init(
    _ changesets: [[UInt8]], uploaded: [(WriteGroup) throws -> Void],
    waiting: [(WriteGroup) throws -> Void] = []
  ) async throws {
    device = try TestDevice()
    copy = try TestDevice()
    var version: UInt64 = 0
    for write in uploaded { version = try device.write(write) }
    _ = try await device.agent.adoptIdent(FileIdentifier(9), salt: 4)
    // The server acknowledges what is uploaded.
    _ = try await device.agent.integrate(
      .of([[]], from: 20, base: 0, acknowledged: version))
    for write in waiting { try device.write(write) }
    _ = try await copy.agent.adoptIdent(Self.ident, salt: Self.salt)
    _ = try await copy.agent.integrate(.of(changesets, from: 3))
  }

  /// Resets the device to its copy.
  func reset(_ mode: ResetMode, _ cause: ResetCause = cause) async throws -> ClientReset.Outcome? {
    let mode = try await device.agent.resetMode(mode, cause)
    return try await device.agent.reset(to: copy.file, mode, cause)
  }

  /// The changesets that the device would upload now.
  func uploads() throws -> [Changeset] {
    let batch = try UploadScan().batch(in: device.file.snapshot(), after: 0)
    return try batch.body.uploadEntries().map { try ChangesetParser.parse($0.changeset) }
  }

  func expectEqualToCopy(_ location: SourceLocation = #_sourceLocation) throws {
    let lines = try StateDifference.lines(
      from: copy.read(), Self.ident, to: device.read(), Self.ident)
    #expect(lines.isEmpty, sourceLocation: location)
    #expect(try device.findings().isEmpty, sourceLocation: location)
  }
}
