// SPDX-License-Identifier: Apache-2.0

// What an adoption uploads of properties of seeded objects that own changes have touched.

import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmTables
import TestExtensions
import Testing

struct TouchedFieldTests {
  /// The lines about `property` in changesets.
  private static func lines(_ property: String, _ changesets: [Changeset]) -> [[String]] {
    changesets.map { changeset in
      changeset.instructions.map(changeset.line).filter {
        $0.contains(#"Item"["a"]."\#(property)""#)
      }
    }
  }

  private static func adopt(
    _ changes: [(inout Changeset, InternedString) -> Void]
  ) throws -> (
    seeds: [Changeset], changes: [Changeset]
  ) {
    let (former, copy) = (try ItemFile(), try ReplicaFile())
    try former.apply { changeset, item in changeset.update(item, "a", "count", to: .int(5)) }
    var own: [Changeset] = []
    for change in changes {
      var changeset = Changeset()
      change(&changeset, changeset.intern("Item"))
      own.append(changeset)
      try former.file.apply(changeset)
    }
    let group = try WriteGroup(copy.file.beginWrite(), schemas: copy.schemas)
    defer { group.rollback() }
    var content = ContentAdoption(of: try former.file.read(), .own, own, onto: group, .own)
    var seeds = [try content.begin()]
    try content.seed { seeds.append($0) }
    let made = try own.indices.flatMap { try content.replay($0) }
    return (
      try seeds.map { try ChangesetParser.parse($0) },
      try made.map { try ChangesetParser.parse($0) }
    )
  }

  private static func add(
    _ amount: Int64, _ changeset: inout Changeset, _ item: InternedString
  ) {
    let path = changeset.path(item, "a", "count")
    changeset.append(.addInteger(.init(path: path, amount: amount)))
  }

  /// `TouchedFields` 1
  @Test func aFieldIsAssignedByTheLastChangeOfIt() throws {
    let uploads = try Self.adopt([
      { $0.update($1, "a", "maybe", to: .int(1)) },
      { changeset, item in
        changeset.update(item, "a", "name", to: .string(changeset.addBytes("x")))
        changeset.update(item, "a", "maybe", to: .int(2))
        changeset.update(item, "a", "maybe", to: .int(3))
      },
      { changeset, item in
        Self.add(1, &changeset, item)
        changeset.update(item, "a", "count", to: .int(8))
      },
      { Self.add(1, &$0, $1) },
    ])
    expectEqual(
      Self.lines("maybe", uploads.changes).flatMap(\.self),
      [#"Update "Item"["a"]."maybe" = int(3) prior 0"#])
    // An increment beside an assignment is part of what is assigned.
    expectEqual(
      Self.lines("count", uploads.changes).flatMap(\.self),
      [#"Update "Item"["a"]."count" = int(9) prior 0"#])
    expectEqual(
      uploads.changes.map { $0.instructions.count }, [2, 1], "the name and the number, the count")
  }

  /// `TouchedFields` 2
  @Test func incrementsAreTakenOffTheSeedAndMadeAgain() throws {
    let uploads = try Self.adopt([{ Self.add(2, &$0, $1) }, { Self.add(40, &$0, $1) }])
    expectEqual(
      Self.lines("count", uploads.seeds).flatMap(\.self),
      [
        #"Update "Item"["a"]."count" = int(47) prior 0"#, #"AddInteger "Item"["a"]."count" + -42"#,
      ])
    expectEqual(
      Self.lines("count", uploads.changes),
      [[#"AddInteger "Item"["a"]."count" + 2"#], [#"AddInteger "Item"["a"]."count" + 40"#]])
  }
}
