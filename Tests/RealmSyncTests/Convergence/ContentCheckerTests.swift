// SPDX-License-Identifier: Apache-2.0

// Faults that are planted in a network, and what its checker says of them.

import RealmServerEngine
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import TestExtensions
import Testing

struct ContentCheckerTests {
  /// Two devices that have met, with an object of the first.
  private static func network() async throws -> SyncNetwork {
    let network = SyncNetwork(mode: .partition, seed: 3)
    for name in ["a", "b"] { try network.addDevice(named: name) }
    for device in network.devices { try device.write(Items.makeClass) }
    try network.devices[0].write { try Items.put(1, "one", $0) }
    #expect(try await network.settle())
    expectEqual(network.problems, [])
    return network
  }

  /// `ContentChecker` 1, `SyncNetwork` 3
  @Test func aCursorThatGoesBackIsFound() async throws {
    let network = try await Self.network()
    let device = network.devices[1]
    let disk = try device.disk()
    try network.devices[0].write { try Items.put(2, "two", $0) }
    #expect(try await network.settle())
    try await network.restart(device, from: disk)
    #expect(try await !network.settle())
    #expect(network.checker.problems.contains { $0.hasPrefix("b: the cursors") })
  }

  /// `ContentChecker` 2
  @Test func aChangeThatIsUploadedTwiceIsFound() async throws {
    let network = try await Self.network()
    var checker = ContentChecker()
    let entries = try await network.server.entries()
    checker.check(entries)
    expectEqual(checker.problems, [])
    checker.check(entries.suffix(1))
    expectEqual(checker.problems.count, 1)
  }

  /// `ContentChecker` 3
  @Test func anIdentifierThatIsSaidBeforeItIsStoredIsFound() async throws {
    let network = SyncNetwork(mode: .partition, seed: 3)
    try network.addDevice(named: "a")
    network.answer = { device, request in
      guard case .adoptIdent(let ident, let salt) = request else { return nil }
      return .done(SessionFile(version: 1, ident: ident, salt: salt))
    }
    #expect(try await !network.settle())
    #expect(network.checker.problems.contains { $0.hasPrefix("a: said") })
  }

  /// `ContentChecker` 3: a server must not acknowledge what it has not stored.
  @Test func anAcknowledgementBeforeTheDiskIsFound() {
    var checker = ContentChecker()
    var file = ClientFile(
      ident: FileIdentifier(2), salt: 1, user: "user", lastSeen: OriginTimestamp(milliseconds: 0))
    file.clientVersion = 7
    let said = StoredProgress(file: file.ident, clientVersion: 7, version: 3)
    checker.check(said, file, head: 3)
    expectEqual(checker.problems, [])
    checker.check(said, file, head: 2)
    checker.check(said, nil, head: 3)
    checker.check(StoredProgress(file: file.ident, clientVersion: 8), file, head: 3)
    expectEqual(checker.problems.count, 3)
  }

  /// `ContentChecker` 3: a message names what it acknowledges.
  @Test func aMessageThatNamesOtherProgressIsFound() {
    var checker = ContentChecker()
    let cursors = SyncCursors(upload: UploadCursor(clientVersion: 7))
    checker.check(cursors, are: StoredProgress(file: FileIdentifier(2), clientVersion: 7))
    expectEqual(checker.problems, [])
    checker.check(cursors, are: StoredProgress(file: FileIdentifier(2), clientVersion: 6))
    checker.check(cursors, are: nil)
    let file = StoredProgress(file: FileIdentifier(2))
    checker.check(SyncCursors(), are: file, of: FileIdentifier(3))
    expectEqual(checker.problems.count, 3)
  }

  /// `ContentChecker` 4, `SyncNetwork` 3
  @Test func contentsThatDifferAreFound() async throws {
    let network = try await Self.network()
    let device = network.devices[0]
    // A write without a recorder has the effect of a wrong merge.
    let group = try WriteGroup(device.file.beginWrite())
    try Items.put(1, "other", group)
    _ = try group.commit()
    #expect(try await !network.settle())
    #expect(network.checker.problems.contains { $0.hasSuffix("other content than the server") })
  }
}
