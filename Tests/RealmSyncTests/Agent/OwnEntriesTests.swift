// SPDX-License-Identifier: Apache-2.0

// The own changesets that are kept from one commit to the next.

import RealmStorage
import RealmSyncProtocol
import RealmTables
import TestExtensions
import Testing

@testable import RealmSync

struct OwnEntriesTests {
  private let file = FileIdentifier(9)

  /// A file with four versions of own changes.
  private func makeDevice() throws -> (TestDevice, [UInt64]) {
    let device = try TestDevice()
    var versions = [try device.write(Items.makeClass)]
    for id in 0..<3 as Range<Int64> {
      versions.append(try device.write { try Items.put(id, "a", $0) })
    }
    return (device, versions)
  }

  /// The number of instructions of an incoming change of item 1 that survive a merge.
  private func survivors(_ own: inout OwnEntries, after base: UInt64) throws -> Int {
    let bytes = Items.changeset { $0.setText("old", of: 1) }
    let origin = ChangesetOrigin(
      version: 1, remoteVersion: base, file: FileIdentifier(7),
      timestamp: OriginTimestamp(milliseconds: 1))
    var incoming = [try ChangesetParser.parse(bytes, origin: origin)]
    var transformer = Transformer()
    _ = try own.merge(&incoming, after: base, ownIdent: file, &transformer)
    return incoming[0].instructions.count
  }

  /// `OwnEntries` 3
  @Test func newerEntriesAreAddedAndOldOnesGo() throws {
    let (device, versions) = try makeDevice()
    var own = try OwnEntries(device.history(), after: versions[0], of: file)
    try expectEqual(survivors(&own, after: versions[0]), 0)
    // After the version that changed item 1 nothing of it is left, until it is changed again.
    #expect(try own.update(device.history(), after: versions[2], of: file))
    try expectEqual(survivors(&own, after: versions[2]), 1)
    try device.write { try Items.put(1, "b", $0) }
    #expect(try own.update(device.history(), after: versions[2], of: file))
    try expectEqual(survivors(&own, after: versions[2]), 0)
  }

  /// `OwnEntries` 3
  @Test func whatIsOfAnotherHistoryIsOfNoUse() throws {
    let (device, versions) = try makeDevice()
    let own = try OwnEntries(device.history(), after: versions[1], of: file)
    let history = try device.history()
    func isOfUse(_ base: UInt64, _ file: FileIdentifier) throws -> Bool {
      var copy = own
      return try copy.update(history, after: base, of: file)
    }
    #expect(try isOfUse(versions[1], file))
    #expect(try !isOfUse(versions[0], file))
    #expect(try !isOfUse(versions[1], FileIdentifier(8)))
    #expect(try !isOfUse(versions[1], .own))
  }

  @Test func manyBytesAreNotKept() throws {
    let (device, versions) = try makeDevice()
    let own = try OwnEntries(device.history(), after: versions[0], of: file)
    expectTrue(own.byteCount > 0)
    let cache = OwnEntryCache()
    cache.keep(own)
    expectTrue(cache.take() != nil)
    expectTrue(cache.take() == nil)
    cache.keep(own)
    cache.removeAll()
    expectTrue(cache.take() == nil)
  }
}
