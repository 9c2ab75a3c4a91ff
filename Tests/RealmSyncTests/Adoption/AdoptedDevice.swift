// SPDX-License-Identifier: Apache-2.0

// A device whose file a former server has synchronised, and its fresh copy.

import RealmReplication
import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import RealmTestSupport
import Testing

/// Where the file comes from that a former server has synchronised.
enum FormerKind: CaseIterable {
  /// A device's, with identifier 9 of the former server.
  case device
  /// A copy that was made to be shipped: without an identifier, but with a version of the server.
  case shipped
}

/// A device whose file a former server has synchronised, and a copy with an identifier of the
/// present one.
struct AdoptedDevice {
  static let formerVersion: UInt64 = 20

  let device: TestDevice
  let copy: TestDevice
  let ident: FileIdentifier

  /// - Parameters:
  ///   - server: What the present server has.
  ///   - former: The transactions that the former server has.
  ///   - waiting: Those that it does not have.
  ///   - version: The version of the former server that the device had seen.
  init(
    _ ident: FileIdentifier = FileIdentifier(12), kind: FormerKind = .device,
    server: [[UInt8]] = [[]], former: [(WriteGroup) throws -> Void],
    waiting: [(WriteGroup) throws -> Void] = [],
    version: UInt64 = formerVersion
  ) async throws {
    self.ident = ident
    device = try TestDevice()
    copy = try TestDevice()
    var last: UInt64 = 0
    for write in former { last = try device.write(write) }
    if kind == .device { _ = try await device.agent.adoptIdent(FileIdentifier(9), salt: 4) }
    _ = try await device.agent.integrate(.of([[]], from: version, base: 0, acknowledged: last))
    for write in waiting { try device.write(write) }
    try AdoptionRecord.mark(device.file, origin: "/former.realm")
    _ = try await copy.agent.adoptIdent(ident, salt: 40)
    _ = try await copy.agent.integrate(.of(server, from: 3))
  }

  func adopt() async throws -> FileAdoption.Outcome {
    try await device.agent.adopt(to: copy.file)
  }

  /// What the device uploads now.
  func uploads() throws -> [UploadEntry] {
    try UploadScan().batch(in: device.file.snapshot(), after: 0).body.uploadEntries()
  }

  /// What is uploaded makes of the copy what the device has.
  func expectUploadsToMatch(_ location: SourceLocation = #_sourceLocation) throws {
    let group = try WriteGroup(copy.file.beginWrite())
    defer { group.rollback() }
    var applier = InstructionApplier(group, file: ident)
    for entry in try uploads() { try applier.apply(ChangesetParser.parse(entry.changeset)) }
    let lines = try StateDifference.lines(from: group, ident, to: device.read(), ident)
    #expect(lines == [], sourceLocation: location)
    #expect(try device.findings() == [], sourceLocation: location)
  }

  /// Takes what another device has uploaded, as the server would send it.
  func take(_ uploads: [UploadEntry], of file: FileIdentifier) async throws {
    let entries = uploads.enumerated().map { index, entry in
      DownloadEntry(
        serverVersion: 4 + UInt64(index), clientVersion: 0, timestamp: entry.timestamp, file: file,
        originalByteCount: UInt64(entry.changeset.count), changeset: entry.changeset)
    }
    let last = 3 + UInt64(uploads.count)
    _ = try await device.agent.integrate(
      DownloadBatch(
        entries: entries,
        cursors: SyncCursors(
          download: DownloadCursor(serverVersion: last, clientVersion: 0),
          upload: UploadCursor(clientVersion: 0, serverVersion: 0),
          latest: SaltedVersion(version: last, salt: 5)),
        remaining: 0))
  }
}
