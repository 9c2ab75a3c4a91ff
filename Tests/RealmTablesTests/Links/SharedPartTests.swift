// SPDX-License-Identifier: Apache-2.0

// Embedded objects of a damaged file with more than one owner, and collections in mixed values that
// have each other again and again: copies and walks of them end.

import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmTables

struct SharedPartTests {
  /// Two owners are to have a copy each of the object with the parts.
  @Test(arguments: SharedParts.Shape.allCases)
  func separatedOwnersEnd(_ shape: SharedParts.Shape) throws {
    let file = try DatabaseFile.open(
      path: "/shared-owners.realm", options: OpenOptions(isInMemory: true))
    let group = try WriteGroup(file.beginWrite())
    defer { group.rollback() }
    let (owners, key) = try SharedParts.make(shape, in: group)
    let holders = try group.createTable(named: "class_Holder")
    let column = try holders.addColumn(named: "held", type: .link, target: owners.key)
    for _ in 0..<2 { try holders.setLink(key, column, holders.createObject().key) }
    #expect(throws: StorageError.corrupted("embedded objects do not end")) {
      try owners.setKind(.embedded)
    }
  }

  /// Two owners are to have a copy each of an object that has a part often, which has many lists,
  /// or a long text: each copy of the part has as much. `OwnerSeparation` 4.
  @Test(arguments: ["lists", "text", "texts"]) func separatedElementsEnd(name: String) throws {
    let file = try DatabaseFile.open(
      path: "/shared-elements-\(name).realm", options: OpenOptions(isInMemory: true))
    let making = try WriteGroup(file.beginWrite())
    let text = TableValue.string(String(repeating: "x", count: name == "text" ? 500_000 : 5_000))
    let (owners, key) =
      switch name {
      case "lists": try owner(of: .list([.int(1)]), .int, columns: 40, parts: 1_000, making)
      case "text": try owner(of: text, .string, columns: 1, parts: 200, making)
      default:
        try owner(
          of: .list(Array(repeating: text, count: 100)), .string, columns: 1, parts: 200, making)
      }
    let holders = try making.createTable(named: "class_Holder")
    let column = try holders.addColumn(named: "held", type: .link, target: owners.key)
    for _ in 0..<2 { try holders.setLink(key, column, holders.createObject().key) }
    _ = try making.commit()
    let group = try WriteGroup(file.beginWrite())
    defer { group.rollback() }
    let table = try #require(try group.table(named: "class_SharedOwner"))
    #expect(throws: StorageError.corrupted("embedded objects do not end")) {
      try table.setKind(.embedded)
    }
  }

  /// An object that has a part a number of times, which has a value in some columns.
  private func owner(
    of value: TableValue, _ type: ColumnType, columns: Int, parts count: Int, _ group: WriteGroup
  ) throws -> (table: WritableTable, key: ObjectKey) {
    let parts = try group.createTable(named: "class_SharedPart", kind: .embedded)
    let isList = if case .list = value { true } else { false }
    let columns = try (0..<columns).map {
      try parts.addColumn(named: "c\($0)", type: type, collection: isList ? .list : .none)
    }
    let owners = try group.createTable(named: "class_SharedOwner")
    let held = try owners.addColumn(
      named: "parts", type: .link, collection: .list, target: parts.key)
    let (part, owner) = (try parts.createObject().key, try owners.createObject().key)
    for column in columns { try parts.set(value, column, part) }
    try owners.set(.list(Array(repeating: .link(part), count: count)), held, owner)
    return (owners, owner)
  }

  /// Each of eight collections has the next one twenty times; the last of them has a link.
  private func nestedCollections(
    areLists: Bool
  ) throws -> (image: FileImage, value: MixedValue, end: Int) {
    let image = try FileImage(fixture: "empty")
    var value = MixedValue.typedLink(table: 1, key: 2)
    var end = 0
    for _ in 1...8 {
      var elements = try BTree<MixedLeaf>.make(in: image.allocator)
      var keys = try BTree<StringLeaf>.make(in: image.allocator)
      for index in 1...20 {
        elements = try BTree<MixedLeaf>.append(value, to: elements, image.allocator)
        keys = try "k\(index)".withByteView { (key) throws(StorageError) in
          try BTree<StringLeaf>.append(key, to: keys, image.allocator)
        }
      }
      if areLists {
        value = .list(elements)
      } else {
        value = .dictionary(
          try IntegerNode.make([keys.slot, elements.slot], flags: .hasRefs, in: image.allocator).ref
        )
      }
      end = image.allocator.space.slabStart + image.allocator.slabByteCount
    }
    return (image, value, end)
  }

  /// A collection of half a million elements has hundreds of leaves.
  @Test func elementsCountWithTheirLeaves() throws {
    let image = try FileImage(fixture: "empty")
    let space = NodeSpace(base: image.space.base, fileEnd: 8_000)
    var nesting = MixedNesting(in: space)
    try nesting.enter(Ref(24), count: 998_999)
    #expect(throws: StorageError.corrupted("nested collections do not end")) {
      try nesting.enter(Ref(24), count: 1_000)
    }
    for (count, isRefused) in [(99_750, false), (99_751, true)] {
      let visits = OwnedVisits(in: { 800 }, repeatCount: 1)
      // Elements of an object that is not embedded.
      visits.note(elementCount: 1 << 30)
      try visits.enter()
      visits.note(elementCount: count)
      if isRefused {
        #expect(throws: StorageError.corrupted("embedded objects do not end")) { try visits.note() }
      } else {
        try visits.note()
      }
    }
  }

  @Test(arguments: [true, false]) func walksOverNestedCollectionsEnd(_ areLists: Bool) throws {
    let (image, value, end) = try nestedCollections(areLists: areLists)
    let readers = NodeSpace(base: image.space.base, fileEnd: end)
    let writers = NodeSpace(
      base: image.space.base, fileEnd: end, slabStart: end, slabEnd: image.space.slabEnd)
    let walks: [() throws -> Void] = [
      { _ = try MixedCodec.decode(value, in: readers) },
      { _ = try MixedCodec.decode(value, in: writers) },
      { try LinkWalk.visit(value, in: readers) { _ in } },
      { try LinkWalk.visit(value, in: writers) { _ in } },
      {
        var editor = MixedLinkEditor(
          link: StoredLink(table: 3, key: 2), newKey: nil, erasesElements: false,
          NodeAllocator(space: writers))
        _ = try editor.replacement(for: value, at: NestedStep(salt: 0, position: 0), nil)
      },
    ]
    for walk in walks {
      #expect(throws: StorageError.corrupted("nested collections do not end")) { try walk() }
    }
  }
}
