// SPDX-License-Identifier: Apache-2.0

// A synchronised file of a test, and what its realms have recorded.

#if Sync
import Foundation
import RealmReplication
import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import TestExtensions
import Testing

@testable import RealmSwift

/// A synchronised file with a configuration.
final class SynchronisedRealm: @unchecked Sendable {
  // Sendable: tests change the configuration before they share it.
  let directory: URL
  var configuration: Realm.Configuration

  init(
    _ types: [ObjectBase.Type] = [
      SharedTask.self, SharedRemark.self, SharedPlace.self, SharedCorner.self,
    ],
    history: HistoryKind = .syncClient
  ) throws {
    directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("openrealm-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    configuration = Realm.Configuration(
      fileURL: directory.appendingPathComponent("test.realm"), objectTypes: types)
    if history == .syncClient { configuration.synchronisation = RecordedFile() }
  }

  deinit { try? FileManager.default.removeItem(at: directory) }

  func open() throws -> Realm { try Realm(configuration: configuration) }

  /// The file, opened by itself.
  func file() throws -> DatabaseFile {
    try DatabaseFile.open(
      path: configuration.location.path, options: OpenOptions(history: configuration.fileHistory))
  }

  func digest() throws -> StateDigest { try StateDigest(of: TableGroup(file().snapshot())) }

  // MARK: What was recorded

  /// The changesets that local transactions have recorded after a version.
  func recorded(after version: UInt64 = 0) throws -> [Changeset] {
    let history = try #require(try file().snapshot().syncHistory())
    var changesets: [Changeset] = []
    var cursor = history.heads(after: version)
    while let head = try cursor.next() {
      guard head.isUploadable else { continue }
      let bytes = try StoredChangesetFraming.decode(history.changeset(at: head.version))
      changesets.append(try ChangesetParser.parse(bytes))
    }
    return changesets
  }

  /// The instructions that were recorded after a version, as lines.
  func lines(after version: UInt64 = 0) throws -> [String] {
    try recorded(after: version).flatMap { changeset in
      changeset.instructions.map(changeset.line)
    }
  }

  /// The lines that `body`, which writes, adds.
  func lines(of body: () throws -> Void) throws -> [String] {
    let version = try file().snapshot().version
    try body()
    return try lines(after: version)
  }

  /// Carries out everything that was recorded in an empty synchronised file, and compares.
  func expectReplayIsEqual(_ place: SourceLocation = #_sourceLocation) throws {
    let path = directory.appendingPathComponent("replica-\(UUID().uuidString).realm").path
    let replica = try DatabaseFile.open(path: path, options: OpenOptions(history: .syncClient))
    for changeset in try recorded() {
      let group = try WriteGroup(replica.beginWrite())
      var applier = InstructionApplier(group)
      try applier.apply(changeset)
      _ = try group.commit()
    }
    let (here, there) = (
      try TableGroup(file().snapshot()), try TableGroup(replica.snapshot())
    )
    let differences = try StateDifference.lines(from: here, to: there)
    #expect(differences == [], sourceLocation: place)
    #expect(try StateDigest(of: here) == StateDigest(of: there), sourceLocation: place)
  }
}
#endif
