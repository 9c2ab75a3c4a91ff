// SPDX-License-Identifier: Apache-2.0

// The search index against a dictionary, with values made to share chunks, data and long prefixes.

import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmTables

/// A column of values in memory.
private final class Column: IndexedValues {
  enum Value: Hashable {
    case null, int(Int64), text(Int), double(Double)
  }
  var values: [ObjectKey: Value] = [:]
  /// Strings by number, allocated once so that views in them stay valid.
  private var texts: [UnsafeRawBufferPointer] = []

  deinit { texts.forEach { $0.deallocate() } }

  func text(_ bytes: [UInt8]) -> Value {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    copy.copyBytes(from: bytes)
    texts.append(UnsafeRawBufferPointer(copy))
    return .text(texts.count - 1)
  }

  func mixed(_ value: Value) -> MixedValue {
    switch value {
    case .null: .null
    case .int(let number): .int(number)
    case .double(let number): .double(number)
    case .text(let number): .string(ByteView(texts[number]))
    }
  }

  func indexedValue(of key: ObjectKey) throws(StorageError) -> MixedValue {
    guard let value = values[key] else { throw .corrupted("no object \(key)") }
    return mixed(value)
  }
}

/// An index and the column it is over, edited together.
private struct IndexUnderTest {
  let scratch: ScratchSpace
  let column = Column()
  var editor: SearchIndexEditor<Column>

  init() throws {
    scratch = try ScratchSpace()
    let root = try SearchIndexEditor<Column>.make(in: scratch.allocator)
    editor = SearchIndexEditor(root: root, allocator: scratch.allocator, values: column)
  }

  var index: SearchIndex<Column> {
    SearchIndex(root: editor.root, space: scratch.space, values: column)
  }

  mutating func insert(_ value: Column.Value, _ key: ObjectKey) throws {
    column.values[key] = value
    try editor.insert(column.mixed(value), key)
  }

  /// Enters many objects at once.
  mutating func insert(_ numbers: [(Int64, ObjectKey)]) throws {
    var keys = NewKeys()
    for (number, key) in numbers {
      column.values[key] = .int(number)
      keys.insert(number, key)
    }
    try editor.insert(keys.takeSorted())
  }

  mutating func remove(_ key: ObjectKey) throws {
    guard let value = column.values[key] else { return }
    try editor.remove(column.mixed(value), key)
    column.values[key] = nil
  }

  /// Every value finds exactly its objects, and nothing is left over in the nodes.
  func expectComplete(_ context: String) throws {
    var keysByValue: [Column.Value: [ObjectKey]] = [:]
    for (key, value) in column.values { keysByValue[canonical(value), default: []].append(key) }
    for (value, keys) in keysByValue {
      let found = try index.findAll(column.mixed(value))
      expectEqual(found, keys.sorted(), "\(context)")
      try expectEqual(index.find(column.mixed(value)), keys.min(), "\(context)")
      try expectEqual(index.count(of: column.mixed(value)), keys.count, "\(context)")
    }
    var entered: [ObjectKey] = []
    try collect(editor.root, into: &entered)
    expectEqual(entered.sorted(), column.values.keys.sorted(), "\(context)")
  }

  /// Texts of the same bytes are one value, whatever their number.
  private func canonical(_ value: Column.Value) -> Column.Value {
    guard case .text = value else { return value }
    let mixed = column.mixed(value)
    return column.values.values.filter { column.mixed($0).isEqual(to: mixed) }
      .min { "\($0)" < "\($1)" } ?? value
  }

  private func collect(_ ref: Ref, into keys: inout [ObjectKey]) throws {
    let node = try SearchIndexNode(ref, in: scratch.space)
    expectTrue(node.count <= SearchIndexLimits.nodeEntryCount)
    for entry in 1..<max(node.count, 1) { #expect(node.key(at: entry - 1) < node.key(at: entry)) }
    for entry in 0..<node.count {
      if node.isInner {
        let child = try node.node.ref(at: entry + 1)
        let below = try SearchIndexNode(child, in: scratch.space)
        expectEqual(below.key(at: below.count - 1), node.key(at: entry))
        try collect(child, into: &keys)
        continue
      }
      switch try node.entry(at: entry, in: scratch.space) {
      case .object(let key): keys.append(key)
      case .subindex(let child): try collect(child, into: &keys)
      case .list(let list):
        for position in 0..<(try BTree<IntegerLeaf>.count(list, in: scratch.space)) {
          keys.append(
            ObjectKey(try BTree<IntegerLeaf>.value(at: position, of: list, in: scratch.space)))
        }
      }
    }
  }
}

struct SearchIndexTests {
  @Test func manySequentialNumbersSplitNodesAndAreFound() throws {
    var fixture = try IndexUnderTest()
    for number in 0..<5_000 { try fixture.insert(.int(Int64(number)), ObjectKey(Int64(number))) }
    let root = try SearchIndexNode(fixture.editor.root, in: fixture.scratch.space)
    expectTrue(root.isInner)
    for number in 0..<5_000 {
      try expectEqual(fixture.index.find(.int(Int64(number))), ObjectKey(Int64(number)))
    }
    try expectEqual(fixture.index.find(.int(5_000)), nil)
    try expectEqual(fixture.index.find(.int(-1)), nil)
    for number in stride(from: 0, to: 5_000, by: 1) { try fixture.remove(ObjectKey(Int64(number))) }
    let empty = try SearchIndexNode(fixture.editor.root, in: fixture.scratch.space)
    expectFalse(empty.isInner)
    expectEqual(empty.count, 0)
  }

  @Test func theKeysOfTheWorkedExampleStandInTheNode() throws {
    var fixture = try IndexUnderTest()
    try fixture.insert(.int(7), ObjectKey(0))
    try fixture.insert(.int(300), ObjectKey(1))
    let node = try SearchIndexNode(fixture.editor.root, in: fixture.scratch.space)
    expectEqual([node.key(at: 0), node.key(at: 1)], [0x0700_0000, 0x2C01_0000])
    expectEqual(node.node.uncheckedInteger(at: 1), 1)
    expectEqual(node.node.uncheckedInteger(at: 2), 3)
  }

  /// `SearchIndex` 2.
  @Test func stringsWithACommonPrefixGetASubindex() throws {
    var fixture = try IndexUnderTest()
    try fixture.insert(fixture.column.text(Array("test1".utf8)), ObjectKey(1))
    try fixture.insert(fixture.column.text(Array("test2".utf8)), ObjectKey(2))
    let root = try SearchIndexNode(fixture.editor.root, in: fixture.scratch.space)
    expectEqual(root.count, 1)
    expectEqual(root.key(at: 0), 0x7465_7374)
    guard case .subindex(let ref) = try root.entry(at: 0, in: fixture.scratch.space) else {
      Issue.record("a sub-index was expected")
      return
    }
    let sub = try SearchIndexNode(ref, in: fixture.scratch.space)
    expectEqual([sub.key(at: 0), sub.key(at: 1)], [0x3158_0000, 0x3258_0000])
  }

  /// `SearchIndex` 2.
  @Test func nullAndTheEmptyStringDiffer() throws {
    var fixture = try IndexUnderTest()
    try fixture.insert(.null, ObjectKey(1))
    try fixture.insert(fixture.column.text([]), ObjectKey(2))
    try fixture.insert(fixture.column.text([0, 0, 0, 0]), ObjectKey(3))
    try expectEqual(fixture.index.findAll(.null), [ObjectKey(1)])
    try expectEqual(fixture.index.findAll(.string(.empty)), [ObjectKey(2)])
    try fixture.expectComplete("null and empty")
  }

  @Test(arguments: [81, 82, 83, 84] as [UInt64])
  func editsMatchADictionary(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var fixture = try IndexUnderTest()
    let prefixes = [0, 3, 4, 5, 8, 70, 199, 200, 204, 260]
    var nextKey: Int64 = 0
    for step in 0..<900 {
      if Int.random(in: 0..<3, using: &random) < (step < 600 ? 2 : 1) {
        let value: Column.Value
        switch Int.random(in: 0..<8, using: &random) {
        case 0: value = .null
        case 1: value = .int(Int64.random(in: -3...3, using: &random))
        case 2: value = .int(Int64.random(in: .min ... .max, using: &random))
        case 3: value = .double(Double(Int.random(in: -9...9, using: &random)) + 0.5)
        default:
          let prefix = prefixes.randomElement(using: &random) ?? 0
          let tail = Int.random(in: 0...6, using: &random)
          value = fixture.column.text(
            [UInt8](repeating: 0x61, count: prefix)
              + (0..<tail).map { _ in UInt8.random(in: 0x58...0x5A, using: &random) })
        }
        nextKey += Int64.random(in: 1...3, using: &random)
        try fixture.insert(value, ObjectKey(nextKey))
      } else if let key = fixture.column.values.keys.sorted().randomElement(using: &random) {
        try fixture.remove(key)
      }
      if step % 150 == 149 { try fixture.expectComplete("seed \(seed), step \(step)") }
    }
    for key in fixture.column.values.keys.sorted() { try fixture.remove(key) }
    try expectEqual(SearchIndexNode(fixture.editor.root, in: fixture.scratch.space).count, 0)
  }

  @Test func numbersEnteredAtOnceFillWholeNodes() throws {
    var fixture = try IndexUnderTest()
    try fixture.insert((0..<5_000).map { (Int64($0), ObjectKey(Int64($0))) })
    let root = try SearchIndexNode(fixture.editor.root, in: fixture.scratch.space)
    let limit = SearchIndexLimits.filledEntryCount(isInner: false)
    expectTrue(root.isInner)
    expectEqual(root.count, (5_000 + limit - 1) / limit)
    try fixture.expectComplete("5,000 numbers")
  }

  /// Batches of all sizes between single edits, with numbers that share chunks, or are equal.
  @Test(arguments: [91, 92, 93] as [UInt64])
  func batchesMatchADictionary(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var fixture = try IndexUnderTest()
    var nextKey: Int64 = 0
    for round in 0..<24 {
      var batch: [(Int64, ObjectKey)] = []
      let start = Int64.random(in: -2_000...2_000, using: &random)
      let form = Int.random(in: 0..<5, using: &random)
      let size = [1, 4, 5, 60, 65, 300, 700].randomElement(using: &random) ?? 1
      for step in 0..<Int64(size) {
        nextKey += 1
        let number =
          switch form {
          case 0: start + step
          case 1: start - step * 3
          case 2: (start + step) << 32 | 7
          case 3: Int64.random(in: .min ... .max, using: &random)
          default: Int64.random(in: -40...40, using: &random)
          }
        batch.append((number, ObjectKey(nextKey)))
      }
      try fixture.insert(batch)
      for _ in 0..<Int.random(in: 0...40, using: &random) {
        if let key = fixture.column.values.keys.randomElement(using: &random) {
          try fixture.remove(key)
        }
      }
      if round % 6 == 5 { try fixture.expectComplete("seed \(seed), round \(round)") }
    }
    for key in fixture.column.values.keys.sorted() { try fixture.remove(key) }
    try expectEqual(SearchIndexNode(fixture.editor.root, in: fixture.scratch.space).count, 0)
  }

  @Test func removingWhatIsNotEnteredThrows() throws {
    var fixture = try IndexUnderTest()
    try fixture.insert(.int(1), ObjectKey(1))
    #expect(throws: StorageError.self) { try fixture.editor.remove(.int(2), ObjectKey(1)) }
    #expect(throws: StorageError.self) { try fixture.editor.remove(.int(1), ObjectKey(2)) }
  }

  @Test func anIndexThatRefersToItselfThrows() throws {
    let fixture = try IndexUnderTest()
    let allocator = fixture.scratch.allocator
    let keys = try allocator.allocate(
      NodeHeader(flags: [], layout: .bits, widthCode: 6, count: 1), capacity: 8)
    keys.store(0x0700_0000, at: 0)
    let node = try IntegerNode.make(
      [keys.ref.slot, 0], flags: [.hasRefs, .context, .inner], in: allocator)
    node.store(node.ref.slot, at: 1)
    let index = SearchIndex(
      root: node.ref, space: fixture.scratch.space, values: fixture.column)
    #expect(throws: StorageError.self) { try index.find(.int(7)) }
  }
}
