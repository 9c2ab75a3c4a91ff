// SPDX-License-Identifier: Apache-2.0

// The history as a client sees it, and the parsed part of it.

import RealmSyncProtocol
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine

struct ClientHistoryTests {
  private static let client = FileIdentifier(2)

  /// A changeset that makes objects.
  private static func changeset(
    _ version: UInt64, of file: FileIdentifier = FileIdentifier(9), _ keys: [String]
  ) -> Changeset {
    var changeset = Changeset(origin: ChangesetOrigin(version: version, file: file))
    let thing = changeset.intern("Thing")
    for key in keys {
      changeset.append(
        .createObject(ObjectReference(table: thing, key: .string(changeset.intern(key)))))
    }
    return changeset
  }

  private static func object(_ key: String) -> ObjectIdentity {
    ObjectIdentity(className: "Thing", key: .value(.string(key)))
  }

  /// What an upload that changes an object is merged with: the place, the version and the objects.
  private static func locals(
    _ history: ClientHistory, after base: UInt64 = 0, for key: String
  ) -> [String] {
    let window = HistoryWindow(base: 0)
    window.append(changeset(1, ["a", "b"]))
    window.append(changeset(2, of: client, ["own"]))
    window.append(changeset(3, ["a", "c"]))
    window.append(changeset(4, ["a", "d"]))
    let found = history.locals(after: base, window, for: [changeset(0, of: client, [key])])
    return zip(found.places, found.changesets).map { place, changeset in
      let keys = changeset.instructions.compactMap { instruction -> String? in
        guard case .createObject(let object) = instruction, case .string(let key) = object.key
        else { return nil }
        return changeset.text(of: key)
      }
      return "\(place) \(changeset.origin.version) \(keys.joined(separator: ","))"
    }
  }

  private static func history(
    reciprocals: [UInt64: Changeset] = [:], privates: [UInt64: Changeset] = [:],
    _ objects: [UInt64: [ObjectIdentity]] = [:]
  ) -> ClientHistory {
    let file = ClientFile(
      ident: client, salt: 1, user: "u", lastSeen: OriginTimestamp(milliseconds: 1))
    return ClientHistory(
      file: file, reciprocals: reciprocals, privates: privates, privateObjects: objects)
  }

  /// `ClientHistory` 1
  @Test func theFormOfAnEntryIsThatForTheClient() {
    expectEqual(
      Self.locals(Self.history(), for: "a"),
      ["entry(1) 1 a,b", "entry(3) 3 a,c", "entry(4) 4 a,d"])
    // What merging has left of an entry for this client takes its place, as of its version.
    let merged = Self.history(reciprocals: [3: Self.changeset(0, ["c"])])
    expectEqual(
      Self.locals(merged, after: 1, for: "a"), ["entry(3) 3 c", "entry(4) 4 a,d"])
  }

  /// `ClientHistory` 1: the client was sent a private change in place of what was before it.
  @Test func aPrivateChangeTakesThePlaceOfOlderEntries() {
    let change = Self.changeset(3, of: .server, ["a"])
    let history = Self.history(privates: [3: change], [3: [Self.object("a")]])
    expectEqual(
      Self.locals(history, for: "a"),
      ["entry(1) 1 b", "entry(3) 3 c", "privateChange(3) 3 a", "entry(4) 4 a,d"])
    // Other objects are as they were, and so is everything for who has the change.
    expectEqual(
      Self.locals(history, for: "b"),
      ["entry(1) 1 a,b", "entry(3) 3 a,c", "privateChange(3) 3 a", "entry(4) 4 a,d"])
    expectEqual(Self.locals(history, after: 3, for: "a"), ["entry(4) 4 a,d"])
  }

  /// `HistoryWindow` 1
  @Test(arguments: RandomRuns.seeds(6)) func versionsOfAWindowFollowEachOther(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let window = HistoryWindow(base: 5_000)
    func make(_ versions: ClosedRange<UInt64>) -> [Changeset] {
      versions.map { Self.changeset($0, []) }
    }
    for step in 0..<60 {
      switch random.number(below: 5) {
      case 0...1:
        for _ in 0..<random.number(below: 200) { window.append(Self.changeset(window.end + 1, [])) }
      case 2:
        let count = UInt64(1 + random.number(below: 20))
        if window.base > count { window.prepend(make(window.base - count + 1...window.base)) }
      case 3: window.removeAll(after: window.end - min(window.end, UInt64(random.number(below: 9))))
      default: window.removeOld()
      }
      let versions = window.changesets.map(\.origin.version)
      expectEqual(versions, versions.isEmpty ? [] : Array(window.base + 1...window.end))
      for version in versions.suffix(2) { expectEqual(window[version].origin.version, version) }
      expectTrue(window.base <= window.end, "seed \(seed): \(step)")
    }
    for _ in 0..<2_100 { window.append(Self.changeset(window.end + 1, [])) }
    window.removeOld()
    expectEqual(window.changesets.count, 1_024)
    expectEqual(window.changesets.first?.origin.version, window.base + 1)
  }
}
