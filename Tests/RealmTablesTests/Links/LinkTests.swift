// SPDX-License-Identifier: Apache-2.0

// Links, their backlinks, and what deletion does to both.

import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmTables

struct LinkTests {
  /// Two tables: owners, and dogs that link to an owner, to other dogs, and to anything.
  struct Model {
    let owners: WritableTable
    let dogs: WritableTable
    let owner: Column
    let friend: Column
    let pack: Column
    let owned: Column
    let any: Column
    let anyList: Column

    init(_ group: WriteGroup) throws {
      owners = try group.createTable(named: "class_Owner")
      dogs = try group.createTable(named: "class_Dog")
      owner = try dogs.addColumn(named: "owner", type: .link, target: owners.key)
      friend = try dogs.addColumn(named: "friend", type: .link, target: dogs.key)
      pack = try dogs.addColumn(named: "pack", type: .link, collection: .list, target: dogs.key)
      owned = try owners.addColumn(
        named: "owned", type: .link, collection: .list, target: dogs.key)
      any = try dogs.addColumn(named: "any", type: .mixed)
      anyList = try dogs.addColumn(named: "anyList", type: .mixed, collection: .list)
    }

    func dog() throws -> ObjectKey { try dogs.createObject().key }

    /// The objects that link to `key` of `table` through `column` of `origin`.
    func backlinks(
      _ table: WritableTable, _ key: ObjectKey, from origin: WritableTable, _ column: Column
    ) throws -> [ObjectKey] {
      guard let backlink = table.schema.backlinkColumn(from: origin.key, column.key) else {
        return []
      }
      let row = try #require(try table.row(of: key))
      return try row.backlinks(of: backlink).sorted()
    }
  }

  /// `WritableTable` 3.
  @Test func singleLinksHaveBacklinks() throws {
    let database = try TestDatabase()
    try database.write { group in
      let model = try Model(group)
      let owner = try model.owners.createObject().key
      let other = try model.owners.createObject().key
      var dogs: [ObjectKey] = []
      for _ in 0..<300 { dogs.append(try model.dog()) }
      for dog in dogs { try model.dogs.setLink(owner, model.owner, dog) }
      try expectEqual(model.backlinks(model.owners, owner, from: model.dogs, model.owner), dogs)
      // The same link again makes no second entry.
      try model.dogs.setLink(owner, model.owner, dogs[0])
      for dog in dogs[..<150] { try model.dogs.setLink(other, model.owner, dog) }
      for dog in dogs[150..<299] { try model.dogs.setLink(nil, model.owner, dog) }
      try expectEqual(
        model.backlinks(model.owners, owner, from: model.dogs, model.owner), [dogs[299]])
      try expectEqual(
        model.backlinks(model.owners, other, from: model.dogs, model.owner),
        Array(dogs[..<150]))
      let row = try #require(try model.dogs.row(of: dogs[3]))
      try expectEqual(row.link(model.owner.leafIndex), other)
      #expect(throws: StorageError.self) {
        try model.dogs.setLink(ObjectKey(99), model.owner, dogs[0])
      }
    }
  }

  /// `OpenCollection` 1.
  @Test func selfLinksAndDuplicatesAreCounted() throws {
    let database = try TestDatabase()
    let dog = try database.write { group in
      let model = try Model(group)
      let dog = try model.dog()
      let other = try model.dog()
      try model.dogs.setLink(dog, model.friend, dog)
      let pack = try model.dogs.list(model.pack, dog)
      for key in [dog, other, other, dog, other] { try pack.append(.link(key)) }
      try expectEqual(model.backlinks(model.dogs, dog, from: model.dogs, model.pack), [dog, dog])
      try expectEqual(
        model.backlinks(model.dogs, other, from: model.dogs, model.pack), [dog, dog, dog])
      try pack.remove(at: 1)
      try pack.move(from: 0, to: 3)
      try pack.set(.link(dog), at: 0)
      try expectEqual(pack.view.keys(), [dog, dog, other, dog])
      try expectEqual(model.backlinks(model.dogs, other, from: model.dogs, model.pack), [dog])
      try expectEqual(
        model.backlinks(model.dogs, dog, from: model.dogs, model.pack), [dog, dog, dog])
      return dog
    }
    // Deleting the object that links to itself removes it everywhere.
    try database.write { group in
      try #require(try group.table(named: "class_Dog")).delete(dog)
    }
    try expectEqual(database.table("class_Dog").objectCount(), 1)
  }

  @Test func deletionTakesTheObjectOutOfEverything() throws {
    let database = try TestDatabase()
    try database.write { group in
      let model = try Model(group)
      let victim = try model.dog()
      let keeper = try model.dog()
      let owner = try model.owners.createObject().key
      try model.dogs.setLink(victim, model.friend, keeper)
      try model.dogs.list(model.pack, keeper).replaceAll(
        with: [.link(victim), .link(keeper), .link(victim)])
      try model.owners.list(model.owned, owner).append(.link(victim))
      try model.dogs.setMixed(.typedLink(model.dogs.key, victim), model.any, keeper)
      try model.dogs.list(model.anyList, keeper).replaceAll(
        with: [.int(1), .typedLink(model.dogs.key, victim), .typedLink(model.owners.key, owner)])
      // What the victim links to forgets it.
      try model.dogs.setLink(owner, model.owner, victim)
      try model.dogs.setLink(keeper, model.friend, victim)
      try model.dogs.list(model.pack, victim).append(.link(keeper))
      try model.dogs.setMixed(.typedLink(model.owners.key, owner), model.any, victim)
      try model.dogs.list(model.anyList, victim).append(.typedLink(model.owners.key, owner))
      try model.dogs.delete(victim)
      let row = try #require(try model.dogs.row(of: keeper))
      try expectEqual(row.link(model.friend.leafIndex), nil)
      try expectEqual(row.value(of: model.pack), .list([.link(keeper)]))
      try expectEqual(row.value(of: model.any), .null)
      try expectEqual(
        row.value(of: model.anyList),
        .list([.int(1), .null, .typedLink(model.owners.key, owner)]))
      let ownerRow = try #require(try model.owners.row(of: owner))
      try expectEqual(ownerRow.value(of: model.owned), .list([]))
      try expectEqual(model.backlinks(model.owners, owner, from: model.dogs, model.owner), [])
      try expectEqual(model.backlinks(model.owners, owner, from: model.dogs, model.any), [])
      try expectEqual(
        model.backlinks(model.owners, owner, from: model.dogs, model.anyList), [keeper])
      try expectEqual(model.backlinks(model.dogs, keeper, from: model.dogs, model.friend), [])
      try expectEqual(model.backlinks(model.dogs, keeper, from: model.dogs, model.pack), [keeper])
    }
  }

  @Test func embeddedObjectsLiveByTheirLink() throws {
    let database = try TestDatabase()
    try database.write { group in
      let parents = try group.createTable(named: "class_Parent")
      let children = try group.createTable(named: "class_Child", kind: .embedded)
      let single = try parents.addColumn(named: "single", type: .link, target: children.key)
      let list = try parents.addColumn(
        named: "list", type: .link, collection: .list, target: children.key)
      let nested = try children.addColumn(named: "nested", type: .link, target: children.key)
      let parent = try parents.createObject().key
      let first = try parents.createEmbedded(single, of: parent).key
      _ = try children.createEmbedded(nested, of: first)
      try expectEqual(children.objectCount(), 2)
      // A new one takes the place of the old, which goes with what it owns.
      _ = try parents.createEmbedded(single, of: parent)
      try expectEqual(children.objectCount(), 1)
      let editor = try parents.list(list, parent)
      for index in 0..<3 { _ = try editor.insertEmbedded(at: index) }
      try expectEqual(children.objectCount(), 4)
      try editor.remove(at: 1)
      try expectEqual(children.objectCount(), 3)
      try editor.removeAll()
      try expectEqual(children.objectCount(), 1)
      try parents.setLink(nil, single, parent)
      try expectEqual(children.objectCount(), 0)
      _ = try editor.insertEmbedded(at: 0)
      _ = try parents.createEmbedded(single, of: parent)
      try parents.delete(parent)
      try expectEqual(children.objectCount(), 0)
    }
  }

  @Test func deletingAllKeepsLinksConsistent() throws {
    let database = try TestDatabase()
    try database.write { group in
      let model = try Model(group)
      var random = SeededGenerator(seed: 3)
      var dogs: [ObjectKey] = []
      for _ in 0..<200 { dogs.append(try model.dog()) }
      let owner = try model.owners.createObject().key
      for dog in dogs {
        try model.dogs.setLink(dogs.randomElement(using: &random), model.friend, dog)
        let pack = try model.dogs.list(model.pack, dog)
        for _ in 0..<5 {
          try pack.append(.link(try #require(dogs.randomElement(using: &random))))
        }
        try model.owners.list(model.owned, owner).append(.link(dog))
      }
    }
    try database.write { group in
      try #require(try group.table(named: "class_Dog")).deleteAll()
    }
    try expectEqual(database.table("class_Dog").objectCount(), 0)
    let owners = try database.table("class_Owner")
    let key = try #require(try owners.key(at: 0))
    let row = try #require(try owners.row(of: key))
    let owned = try #require(owners.schema.column(named: "owned"))
    try expectEqual(row.value(of: owned), .list([]))
  }

  /// `WritableTable` 3.
  @Test(.heavy) func randomLinksMatchTheModel() throws {
    var random = SeededGenerator(seed: 21)
    let database = try TestDatabase()
    var friends: [ObjectKey: ObjectKey] = [:]
    var packs: [ObjectKey: [ObjectKey]] = [:]
    try database.write { _ = try Model($0) }
    for _ in 0..<12 {
      try database.write { group in
        let dogs = try #require(try group.table(named: "class_Dog"))
        let friend = try #require(dogs.schema.column(named: "friend"))
        let pack = try #require(dogs.schema.column(named: "pack"))
        for _ in 0..<150 {
          let some = packs.keys.sorted().randomElement(using: &random)
          let other = packs.keys.sorted().randomElement(using: &random)
          switch Int.random(in: 0..<6, using: &random) {
          case 0, 1: packs[try dogs.createObject().key] = []
          case 2:
            guard let some else { continue }
            try dogs.setLink(other, friend, some)
            friends[some] = other
          case 3, 4:
            guard let some, let other else { continue }
            let index = Int.random(in: 0...(packs[some]?.count ?? 0), using: &random)
            try dogs.list(pack, some).insert(.link(other), at: index)
            packs[some]?.insert(other, at: index)
          default:
            guard let some, packs.count > 10 else { continue }
            try dogs.delete(some)
            friends[some] = nil
            packs[some] = nil
            friends = friends.filter { $0.value != some }
            packs = packs.mapValues { $0.filter { $0 != some } }
          }
        }
      }
      try database.reopen()
      try compare(database, friends, packs)
    }
  }

  private func compare(
    _ database: TestDatabase, _ friends: [ObjectKey: ObjectKey],
    _ packs: [ObjectKey: [ObjectKey]]
  ) throws {
    let table = try database.table("class_Dog")
    let friend = try #require(table.schema.column(named: "friend"))
    let pack = try #require(table.schema.column(named: "pack"))
    let ofFriend = try #require(table.schema.backlinkColumn(from: table.key, friend.key))
    let ofPack = try #require(table.schema.backlinkColumn(from: table.key, pack.key))
    try expectEqual(table.objectCount(), packs.count)
    for (key, members) in packs {
      let row = try #require(try table.row(of: key))
      try expectEqual(row.link(friend.leafIndex), friends[key])
      try expectEqual(row.list(pack).keys(), members)
      let fans = friends.filter { $0.value == key }.map(\.key).sorted()
      try expectEqual(row.backlinks(of: ofFriend).sorted(), fans)
      let packsWithKey = packs.flatMap { entry in
        Array(repeating: entry.key, count: entry.value.count { $0 == key })
      }
      try expectEqual(row.backlinks(of: ofPack).sorted(), packsWithKey.sorted())
    }
  }
}
