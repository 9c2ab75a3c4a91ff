// SPDX-License-Identifier: Apache-2.0

// The objects of a realm as versions of a new synchronised file.

import RealmReplication
import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

struct RecordedCopyTests {
  private static let limit = UploadLimit(byteCount: 700, instructionCount: 100)

  /// A realm with objects of some size each.
  private static func source(textByteCount: Int) throws -> TestDevice {
    let source = try TestDevice()
    try source.write { group in
      try Items.makeClass(group)
      for id in 0..<20 as Range<Int64> {
        try Items.put(id, String(repeating: "x", count: textByteCount), group)
        try Items.append("\(id)", to: id, group)
      }
    }
    return source
  }

  /// `RecordedCopy` 1
  @Test func eachVersionIsAnUpload() throws {
    let source = try Self.source(textByteCount: 100)
    let (target, replica) = (try TestDevice(), try TestDevice())
    let first = target.file.newestVersion + 1
    let digests = Locked<[UInt64: StateDigest]>([:])
    let listener = try target.file.onNewVersion { [file = target.file] version in
      let digest = try? StateDigest(of: TableGroup(file.snapshot()))
      digests.withLock { $0[version] = digest }
    }
    let now = OriginTimestamp(milliseconds: 77)
    try RecordedCopy(target.file, now: now, limit: Self.limit).write(source.read())
    listener.cancel()
    let history = try target.history()
    let versions = try #require(history.versions)
    expectEqual(versions, first...target.file.newestVersion)
    expectTrue(versions.count > 4)
    for version in versions {
      let entry = try history.entry(at: version)
      expectEqual(entry.originTimestamp, 77)
      let bytes = try StoredChangesetFraming.decode(entry.changeset)
      expectTrue(!bytes.isEmpty && bytes.count <= Self.limit.byteCount, "\(bytes.count) bytes")
      let group = try WriteGroup(replica.file.beginWrite())
      try group.orRollback {
        var applier = InstructionApplier(group)
        try applier.apply(ChangesetParser.parse(bytes))
        _ = try group.commit()
      }
      let seen = try #require(digests.withLock { $0[version] })
      try expectEqual(replica.digest(), seen, "version \(version)")
    }
    try expectEqual(target.digest(), source.digest())
    try expectEqual(target.findings(), [])
  }

  /// `RecordedCopy` 1: what cannot be uploaded is refused.
  @Test func aValueAboveTheLimitIsRefused() throws {
    let source = try Self.source(textByteCount: 800)
    let target = try TestDevice()
    #expect(throws: StorageError.self) {
      try RecordedCopy(target.file, limit: Self.limit).write(source.read())
    }
  }
}
