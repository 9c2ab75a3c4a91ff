// SPDX-License-Identifier: Apache-2.0

// What stays of embedded objects where a user may change a part of them.

import RealmReplication
import RealmStorage
import RealmTables
import TestExtensions
import Testing

@testable import RealmServerEngine

struct FixedPartsTests {
  /// Homes have a street, which may be changed, and links, which may not.
  private static let writable = FieldSelection(others: false, exceptions: ["street"])

  /// A transaction with an owner, whose home may link to objects of class `Friend`.
  private struct Place {
    let group: WriteGroup
    let owners: WritableTable
    let homes: WritableTable
    let friends: WritableTable
    let owner: ObjectKey
    let home: ObjectKey

    init(_ name: String) throws {
      let file = try DatabaseFile.open(
        path: "/fixed-parts-\(name).realm", options: OpenOptions(isInMemory: true))
      group = try WriteGroup(file.beginWrite())
      friends = try group.createTable(named: "class_Friend")
      let id = try friends.addColumn(named: "id", type: .string)
      try friends.setPrimaryKey(id.key)
      homes = try group.createTable(named: "class_Home", kind: .embedded)
      try homes.addColumn(named: "street", type: .string)
      try homes.addColumn(named: "friend", type: .link, target: friends.key)
      try homes.addColumn(named: "friends", type: .link, collection: .list, target: friends.key)
      owners = try group.createTable(named: "class_Owner")
      try owners.addColumn(named: "home", type: .link, target: homes.key)
      owner = try owners.createObject().key
      home = try owners.createEmbedded(Self.column("home", owners), of: owner).key
    }

    static func column(_ name: String, _ table: WritableTable) throws -> Column {
      try #require(table.schema.column(named: name))
    }

    /// An object of a primary key, or the place of a missing one.
    func friend(_ key: String) throws -> TableValue {
      .link(try friends.linkTarget(forPrimaryKey: .string(key)))
    }

    func set(_ link: TableValue) throws {
      try homes.set(link, Self.column("friend", homes), home)
      let list = try homes.list(Self.column("friends", homes), home)
      if try list.count > 0 { try list.remove(at: 0) }
      if link != .null { try list.append(link) }
    }

    func parts() throws -> FixedParts {
      var parts = FixedParts()
      let row = try #require(try owners.table.row(of: owner))
      try parts.add(Self.column("home", owners), of: row, writable: writable, in: group)
      return parts
    }
  }

  /// `FixedParts` 1
  @Test func aLinkIsTheSameWhetherItsTargetIsThereOrNot() throws {
    let place = try Place("same")
    defer { place.group.rollback() }
    let (key, _) = try place.friends.createObject(primaryKey: .string("l"))
    try place.set(.link(key))
    let before = try place.parts()
    try place.friends.invalidate(key)
    #expect(try place.friends.findRow(primaryKey: .string("l")) == nil)
    #expect(try place.parts().isAllowed(after: before))
    _ = try place.friends.findOrCreate(primaryKey: .string("l"))
    #expect(try place.parts().isAllowed(after: before))
    // To another object, there or missing, it is another one.
    try place.set(place.friend("m"))
    #expect(try !place.parts().isAllowed(after: before))
    try place.set(.null)
    #expect(try !place.parts().isAllowed(after: before))
  }

  /// `FixedParts` 1: a new object with a link to a missing one is not as new objects are.
  @Test func aNewObjectHasNoLinkToAMissingOne() throws {
    let place = try Place("new")
    defer { place.group.rollback() }
    #expect(try place.parts().isAllowed(after: FixedParts()))
    try place.set(place.friend("missing"))
    #expect(try !place.parts().isAllowed(after: FixedParts()))
  }
}
