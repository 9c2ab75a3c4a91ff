// SPDX-License-Identifier: Apache-2.0

// A file with the classes of `Changeset.addItems` and an object, for tests of single rules.

import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmTables
import Testing

/// A file on which single instructions are carried out.
struct ItemFile {
  let file: ReplicaFile
  let item: InternedString

  /// Makes the classes and the object `a`.
  init() throws {
    file = try ReplicaFile()
    var changeset = Changeset()
    item = changeset.addItems()
    changeset.create(item, "a")
    try file.apply(changeset)
  }

  /// Carries out what `body` writes about class `Item`.
  func apply(
    policy: ApplyPolicy = .strict, _ body: (inout Changeset, InternedString) -> Void
  ) throws {
    try file.apply(policy: policy) { changeset in body(&changeset, changeset.intern("Item")) }
  }

  /// Carries out what fits and says how much of it did not.
  func recover(_ body: (inout Changeset, InternedString) -> Void) throws -> Int {
    var changeset = Changeset()
    body(&changeset, changeset.intern("Item"))
    var dropped = 0
    let group = try WriteGroup(file.file.beginWrite())
    var applier = InstructionApplier(group, policy: .recovering)
    applier.begin(changeset)
    for instruction in changeset.instructions where try !applier.apply(instruction) {
      dropped += 1
    }
    _ = try group.commit()
    return dropped
  }

  /// Expects that what `body` writes is a bad changeset, and that nothing of it stays.
  func expectBad(
    _ problem: ApplyProblem? = nil, _ location: SourceLocation = #_sourceLocation,
    _ body: (inout Changeset, InternedString) -> Void
  ) throws {
    let before = try file.digest()
    do {
      try apply { changeset, item in
        changeset.create(item, "not to stay")
        body(&changeset, item)
      }
      Issue.record("the changeset was carried out", sourceLocation: location)
    } catch ApplyError.badChangeset(let found, _) {
      if let problem { #expect(found == problem, sourceLocation: location) }
    }
    #expect(try file.digest() == before, sourceLocation: location)
  }

  func table(_ name: String = "Item") throws -> Table {
    try #require(try file.read().table(named: "class_\(name)"))
  }

  func row(_ key: String = "a") throws -> Row {
    try #require(try table().findRow(primaryKey: .string(key))?.row)
  }

  func exists(_ key: String) throws -> Bool {
    try table().findRow(primaryKey: .string(key)) != nil
  }

  /// The value of a property.
  func value(_ name: String, of key: String = "a") throws -> TableValue {
    let column = try #require(table().schema.column(named: name))
    return try row(key).value(of: column)
  }

  /// The links of a property as the keys of their targets.
  func links(_ name: String, of key: String = "a") throws -> [String] {
    let table = try table()
    let values: [TableValue] =
      switch try value(name, of: key) {
      case .list(let values): values
      case .dictionary(let map): map.entries.map(\.value)
      case let value: [value]
      }
    return try values.map { value -> String in
      switch value {
      case .link(let key), .typedLink(_, let key):
        let row = try #require(try table.row(of: key))
        return "\(try row.string(table.schema.primaryKey?.leafIndex ?? 0) ?? "null")"
      default: return "null"
      }
    }
  }
}
