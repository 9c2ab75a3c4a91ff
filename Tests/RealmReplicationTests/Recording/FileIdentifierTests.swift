// SPDX-License-Identifier: Apache-2.0

// Changesets that were recorded before the file had its identifier (P5 3).

import RealmReplication
import RealmSyncProtocol
import RealmTables
import TestExtensions
import Testing

@Suite("File identifiers")
struct FileIdentifierTests {
  private static func key(_ high: UInt64) -> PrimaryKey {
    .globalKey(GlobalKey(high: high, low: 5))
  }

  /// A changeset with keys of the file everywhere where there can be one.
  private static func changeset(_ own: UInt64) -> Changeset {
    var changeset = Changeset()
    let table = changeset.intern("T")
    let field = changeset.intern("f")
    for high in [own, 8] {
      let key = key(high)
      let object = ObjectReference(table: table, key: key)
      let path = InstructionPath(table: table, key: key, field: field)
      let link = Payload.link(table: table, key: key)
      changeset.append(.createObject(object))
      changeset.append(.update(.init(path: path, value: link)))
      changeset.append(.addInteger(.init(path: path, amount: 1)))
      for index in 0..<3 as Range<UInt32> {
        var element = path
        element.elements = changeset.addElements([PathElement.index(index)])
        switch index {
        case 0: changeset.append(.arrayInsert(.init(path: element, value: link, priorSize: 0)))
        case 1: changeset.append(.arrayMove(.init(path: element, target: 0, priorSize: 3)))
        default: changeset.append(.arrayErase(.init(path: element, priorSize: 3)))
        }
      }
      changeset.append(.clear(.init(path: path, collection: .list)))
      changeset.append(.setInsert(.init(path: path, value: link)))
      changeset.append(.setErase(.init(path: path, value: link)))
      changeset.append(.eraseObject(object))
    }
    return changeset
  }

  @Test func areEnteredWhereTheFileWasMeant() throws {
    let (changeset, isChanged) = try ChangesetParser.parse(
      ChangesetEncoder.encode(Self.changeset(0)), replacingOwnFileBy: FileIdentifier(1000))
    expectTrue(isChanged)
    expectEqual(changeset.description, Self.changeset(1000).description)
    let bytes = ChangesetEncoder.encode(changeset)
    expectEqual(bytes, ChangesetEncoder.encode(Self.changeset(1000)))
    let again = try ChangesetParser.parse(bytes, replacingOwnFileBy: FileIdentifier(1001))
    expectFalse(again.isChanged)
    expectEqual(again.changeset.description, changeset.description)
  }

  @Test func areNotEnteredAsLongAsTheFileHasNone() throws {
    let bytes = ChangesetEncoder.encode(Self.changeset(0))
    let (changeset, isChanged) = try ChangesetParser.parse(bytes, replacingOwnFileBy: .own)
    expectFalse(isChanged)
    try expectEqual(changeset.description, ChangesetParser.parse(bytes).description)
    expectEqual(changeset.description, Self.changeset(0).description)
  }

  @Test func areRecordedWhenTheyAreKnown() throws {
    let file = try ReplicaFile()
    try file.write { group in
      let table = try group.createTable(named: "class_T")
      try table.addColumn(named: "next", type: .link, target: table.key)
    }
    let recorder = SyncRecorder(file: FileIdentifier(77))
    for (identifier, wanted) in [(recorder, "77"), (file.recorder, "0")] {
      let lines = try file.lines(by: identifier) { group in
        let table = try group.existing("T")
        let (key, _) = try table.createObject()
        try table.set(.link(key), "next", key)
      }
      let isNamed = lines.allSatisfy { $0.contains("high: \(wanted),") }
      expectEqual(lines.count, 2)
      expectTrue(isNamed, "\(lines)")
    }
  }
}
