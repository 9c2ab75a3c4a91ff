// SPDX-License-Identifier: Apache-2.0

// Mixed leaves and backlink leaves against models, nested collections and salts included.

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

/// A mixed value that owns its bytes.
private enum Value: Equatable {
  case null
  case int(Int64)
  case bool(Bool)
  case string([UInt8])
  case binary([UInt8])
  case timestamp(Timestamp)
  case float(UInt32)
  case double(UInt64)
  case decimal(DecimalBits)
  case objectId(Bytes12)
  case uuid(Bytes16)
  case typedLink(Int64, Int64)

  init(_ value: MixedValue) {
    switch value {
    case .null: self = .null
    case .int(let number): self = .int(number)
    case .bool(let truth): self = .bool(truth)
    case .string(let bytes): self = .string(bytes.array)
    case .binary(let bytes): self = .binary(bytes.array)
    case .timestamp(let time): self = .timestamp(time)
    case .float(let number): self = .float(number.bitPattern)
    case .double(let number): self = .double(number.bitPattern)
    case .decimal(let bits): self = .decimal(bits)
    case .objectId(let id): self = .objectId(id)
    case .uuid(let id): self = .uuid(id)
    case .typedLink(let table, let key): self = .typedLink(table, key)
    case .list, .dictionary: self = .null
    }
  }

  func store(_ body: (MixedValue) throws -> Ref) throws -> Ref {
    switch self {
    case .null: try body(.null)
    case .int(let number): try body(.int(number))
    case .bool(let truth): try body(.bool(truth))
    case .string(let bytes): try bytes.withUnsafeBytes { try body(.string(ByteView($0))) }
    case .binary(let bytes): try bytes.withUnsafeBytes { try body(.binary(ByteView($0))) }
    case .timestamp(let time): try body(.timestamp(time))
    case .float(let bits): try body(.float(Float(bitPattern: bits)))
    case .double(let bits): try body(.double(Double(bitPattern: bits)))
    case .decimal(let bits): try body(.decimal(bits))
    case .objectId(let id): try body(.objectId(id))
    case .uuid(let id): try body(.uuid(id))
    case .typedLink(let table, let key): try body(.typedLink(table: table, key: key))
    }
  }

  static func random(_ random: inout SeededGenerator, longest: Int) -> Value {
    func word() -> UInt64 { .random(in: 0 ... .max, using: &random) }
    func bytes() -> [UInt8] {
      (0..<Int.random(in: 0...longest, using: &random)).map { _ in UInt8(word() & 0xFF) }
    }
    switch Int.random(in: 0..<13, using: &random) {
    case 0: return .null
    case 1, 2: return .int(randomInteger(&random))
    case 3: return .bool(word() & 1 == 1)
    case 4: return .string(bytes())
    case 5: return .binary(bytes())
    case 6:
      return .timestamp(
        Timestamp(seconds: Int64(word() >> 20), nanoseconds: Int32(word() % 1_000_000_000)))
    case 7: return .float(UInt32(truncatingIfNeeded: word()))
    case 8: return .double(word())
    case 9: return .decimal(DecimalBits(low: word(), high: word()))
    case 10: return .objectId(Bytes12(high: word(), low: UInt32(truncatingIfNeeded: word())))
    case 11: return .uuid(Bytes16(high: word(), low: word()))
    default: return .typedLink(Int64(word() >> 40), Int64(word() >> 10))
    }
  }
}

struct MixedLeafTests {
  /// A second of nanoseconds is a second: nobody writes it, and it is refused.
  @Test(arguments: [-1_000_000_000, -999_999_999, 0, 999_999_999, 1_000_000_000] as [Int32])
  func timestampsHaveLessThanASecondOfNanoseconds(nanoseconds: Int32) throws {
    let scratch = try ScratchSpace()
    let time = Timestamp(seconds: 5, nanoseconds: nanoseconds)
    let mixed = try MixedLeaf.insert(
      .timestamp(time), at: 0, in: MixedLeaf.make(in: scratch.allocator), scratch.allocator)
    let plain = try TimestampLeaf.insert(
      time, at: 0, in: TimestampLeaf.make(in: scratch.allocator), scratch.allocator)
    if abs(nanoseconds) < 1_000_000_000 {
      guard case .timestamp(time) = try MixedLeaf.value(at: 0, of: mixed, in: scratch.space) else {
        throw StorageError.corrupted("another value")
      }
      try expectEqual(TimestampLeaf.value(at: 0, of: plain, in: scratch.space), time)
    } else {
      #expect(throws: StorageError.self) {
        try MixedLeaf.value(at: 0, of: mixed, in: scratch.space)
      }
      #expect(throws: StorageError.self) {
        try TimestampLeaf.value(at: 0, of: plain, in: scratch.space)
      }
    }
  }

  /// `MixedLeaf` 1.
  @Test(arguments: [(101, 8), (102, 40), (103, 200)] as [(UInt64, Int)])
  func valuesOfAllTypes(seed: UInt64, longest: Int) throws {
    try expectLeaf(
      MixedLeaf.self, seed: seed, steps: 1_000, limit: 120,
      random: { random, _ in Value.random(&random, longest: longest) },
      toLeaf: { value, store in try value.store(store) }, toModel: { Value($0) })
  }

  @Test func theMixedExampleOfTheFormatHolds() throws {
    let scratch = try ScratchSpace()
    var ref = try MixedLeaf.make(in: scratch.allocator)
    let values: [Value] = [.null, .int(5), .string([0x61]), .int(1 << 40)]
    for (index, value) in values.enumerated() {
      ref = try value.store { try MixedLeaf.insert($0, at: index, in: ref, scratch.allocator) }
    }
    let outer = try scratch.space.node(at: ref)
    func integers(_ slot: Int) throws -> [Int64] {
      let node = try scratch.space.node(at: outer.ref(at: slot))
      return try (0..<node.count).map { try node.integer(at: $0) }
    }
    try expectEqual(integers(0), [0, 0x501, 0x63, 0x21])
    try expectEqual(integers(1), [1 << 40])
    let strings = try scratch.space.node(at: outer.ref(at: 3))
    expectEqual(strings.header.width, 2)
    expectEqual(Array(strings.bytes), [0x61, 0])
    #expect(try outer.ref(at: 2).isNull)
    #expect(try outer.ref(at: 4).isNull)
    #expect(try outer.ref(at: 5).isNull)
  }

  @Test func aStringIsStoredWhereItWasReadFromTheSameLeaf() throws {
    let scratch = try ScratchSpace()
    var ref = try MixedLeaf.make(in: scratch.allocator)
    for index in 0..<20 {
      ref = try Value.string(Array("the string number \(index)".utf8)).store {
        try MixedLeaf.insert($0, at: index, in: ref, scratch.allocator)
      }
    }
    for index in 0..<19 {
      let next = try MixedLeaf.value(at: index + 1, of: ref, in: scratch.space)
      ref = try MixedLeaf.set(next, at: index, in: ref, scratch.allocator)
    }
    for index in 0..<20 {
      let found = Value(try MixedLeaf.value(at: index, of: ref, in: scratch.space))
      expectEqual(found, .string(Array("the string number \(min(index + 1, 19))".utf8)))
    }
    try MixedLeaf.validate(ref, in: scratch.space)
  }

  /// `MixedLeaf` 2 and 3.
  @Test func nestedCollectionsKeepTheirSaltsAndAreFreedOnce() throws {
    let scratch = try ScratchSpace()
    let allocator = scratch.allocator
    var ref = try MixedLeaf.make(in: allocator)
    for index in 0..<30 {
      let list = try MixedLeaf.insert(
        .int(Int64(index)), at: 0, in: try MixedLeaf.make(in: allocator), allocator)
      ref = try MixedLeaf.insert(
        index % 3 == 0 ? .list(list) : .int(0), at: index, in: ref, allocator)
      if index % 3 != 0 { try allocator.freeTree(list) }
    }
    func salts(_ ref: Ref) throws -> [Int64] {
      try (0..<MixedLeaf.count(ref, in: scratch.space)).map {
        try MixedLeaf.salt(at: $0, of: ref, in: scratch.space)
      }
    }
    var expected = try salts(ref)
    #expect(expected.indices.allSatisfy { (expected[$0] != 0) == ($0 % 3 == 0) })
    expectEqual(Set(expected).count, 11)
    let (left, right) = try MixedLeaf.split(ref, at: 13, allocator)
    try expectEqual(salts(left), Array(expected[..<13]))
    try expectEqual(salts(right), Array(expected[13...]))
    ref = try MixedLeaf.append(right, to: left, allocator)
    try expectEqual(salts(ref), expected)
    ref = try MixedLeaf.remove(at: 4, from: ref, allocator)
    ref = try MixedLeaf.set(.bool(true), at: 0, in: ref, allocator)
    expected.remove(at: 4)
    expected[0] = 0
    try expectEqual(salts(ref), expected)
    // A root that moved is stored without touching the salt or freeing the old root.
    guard case .list(let old) = try MixedLeaf.value(at: 5, of: ref, in: scratch.space) else {
      Issue.record("element 5 is not a list")
      return
    }
    let moved = try MixedLeaf.insert(.null, at: 1, in: old, allocator)
    ref = try MixedLeaf.replaceCollection(moved, at: 5, in: ref, allocator)
    ref = try MixedLeaf.set(.list(moved), at: 5, in: ref, allocator)
    try expectEqual(salts(ref), expected)
    try expectEqual(MixedLeaf.count(moved, in: scratch.space), 2)
    try MixedLeaf.validate(ref, in: scratch.space)
  }

  private static func saltCount(_ ref: Ref, in space: NodeSpace) throws -> Int? {
    let salts = try space.node(at: ref).ref(at: MixedSlot.salts)
    return salts.isNull ? nil : try space.node(at: salts).count
  }

  /// Realm Core aborts, or writes outside of the array, where it is shorter.
  @Test(arguments: [121, 122, 123] as [UInt64])
  func saltsAreAsManyAsElements(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let scratch = try ScratchSpace()
    let allocator = scratch.allocator
    var ref = try MixedLeaf.make(in: allocator)
    var hasSalts = false
    for step in 0..<400 {
      let count = try MixedLeaf.count(ref, in: scratch.space)
      let isList = Int.random(in: 0..<6, using: &random) == 0
      let value = isList ? MixedValue.list(.null) : .int(Int64(step))
      switch Int.random(in: 0..<5, using: &random) {
      case 0 where count > 0:
        let index = Int.random(in: 0..<count, using: &random)
        ref = try MixedLeaf.remove(at: index, from: ref, allocator)
      case 1 where count > 0:
        let index = Int.random(in: 0..<count, using: &random)
        ref = try MixedLeaf.set(value, at: index, in: ref, allocator)
        hasSalts = hasSalts || isList
      case 2 where count > 3:
        let index = Int.random(in: 0..<count, using: &random)
        let (left, right) = try MixedLeaf.split(ref, at: index, allocator)
        for half in [left, right] {
          let salts = try Self.saltCount(half, in: scratch.space)
          #expect(try salts == nil || salts == MixedLeaf.count(half, in: scratch.space))
        }
        ref = try MixedLeaf.append(right, to: left, allocator)
        hasSalts = try Self.saltCount(ref, in: scratch.space) != nil
      default:
        let index = Int.random(in: 0...count, using: &random)
        ref = try MixedLeaf.insert(value, at: index, in: ref, allocator)
        hasSalts = hasSalts || isList
      }
      let expected = hasSalts ? try MixedLeaf.count(ref, in: scratch.space) : nil
      try expectEqual(
        Self.saltCount(ref, in: scratch.space), expected, "seed \(seed), step \(step)")
    }
    try MixedLeaf.validate(ref, in: scratch.space)
  }

  /// What Realm Core wrote gets the missing salts with the first edit, whichever it is.
  /// `MixedLeaf` 2.
  @Test(arguments: 0..<5) func saltsThatRealmCoreLeftOutAreAdded(edit: Int) throws {
    let scratch = try ScratchSpace()
    let allocator = scratch.allocator
    let composite = try IntegerNode.make(
      [0x501, 0x14 | 4 << 5, 0x601, 0x701, 0x801], in: allocator
    ).ref
    let refs = try IntegerNode.make([0], flags: .hasRefs, in: allocator).ref
    let salts = try IntegerNode.make([0, 77], in: allocator).ref
    var ref = try IntegerNode.make(
      [composite.slot, 0, 0, 0, refs.slot, salts.slot], flags: .hasRefs, in: allocator
    ).ref
    try MixedLeaf.validate(ref, in: scratch.space)
    ref =
      switch edit {
      case 0: try MixedLeaf.insert(.int(9), at: 5, in: ref, allocator)
      case 1: try MixedLeaf.insert(.list(.null), at: 0, in: ref, allocator)
      case 2: try MixedLeaf.set(.bool(true), at: 4, in: ref, allocator)
      case 3: try MixedLeaf.remove(at: 3, from: ref, allocator)
      default: try MixedLeaf.replaceCollection(.null, at: 1, in: ref, allocator)
      }
    let count = try MixedLeaf.count(ref, in: scratch.space)
    try expectEqual(Self.saltCount(ref, in: scratch.space), count)
    try expectEqual(MixedLeaf.position(ofSalt: 77, in: ref, scratch.space), (edit == 1 ? 2 : 1))
    try MixedLeaf.validate(ref, in: scratch.space)
  }

  @Test func aLeafFromBeforeFormat24GetsItsMissingSlots() throws {
    let scratch = try ScratchSpace()
    let allocator = scratch.allocator
    let composite = try IntegerNode.make([0x501], in: allocator).ref
    var ref = try IntegerNode.make(
      [composite.slot, 0, 0, 0], flags: .hasRefs, in: allocator
    ).ref
    try MixedLeaf.validate(ref, in: scratch.space)
    ref = try MixedLeaf.insert(.list(.null), at: 1, in: ref, allocator)
    try expectEqual(scratch.space.node(at: ref).count, 6)
    expectEqual(Value(try MixedLeaf.value(at: 0, of: ref, in: scratch.space)), .int(5))
    #expect(try MixedLeaf.salt(at: 1, of: ref, in: scratch.space) != 0)
    try MixedLeaf.validate(ref, in: scratch.space)
  }

  @Test(
    arguments: [
      0x3F, 0x1E, 0x04, 0x6A, 0x23, 0xE1, 0x21, 0x41, 0x63, 0x54, 0x563, 0x22, 0x03,
      Int64.min | 0x49, Int64.max - 0xFF | 0x49, 0x0D | 0x20,
    ] as [Int64])
  func aCompositeThatMeansNothingThrows(code: Int64) throws {
    let scratch = try ScratchSpace()
    let composite = try IntegerNode.make([code], in: scratch.allocator).ref
    let ref = try IntegerNode.make(
      [composite.slot, 0, 0, 0, 0, 0], flags: .hasRefs, in: scratch.allocator
    ).ref
    #expect(throws: StorageError.self) {
      _ = try MixedLeaf.value(at: 0, of: ref, in: scratch.space)
    }
    #expect(throws: StorageError.self) { try MixedLeaf.validate(ref, in: scratch.space) }
  }
}

struct BacklinkLeafTests {
  @Test(arguments: [111, 112] as [UInt64])
  func addedAndRemovedKeysMatchAModel(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let scratch = try ScratchSpace()
    var model = [[Int64]](repeating: [], count: 5)
    var ref = try BacklinkLeaf.make(in: scratch.allocator)
    for index in 0..<5 {
      ref = try BacklinkLeaf.insert(.null, at: index, in: ref, scratch.allocator)
    }
    for step in 0..<12_000 {
      // Grow to several leaves for the first half, then shrink to nothing.
      let index = Int.random(in: 0..<5, using: &random) * Int.random(in: 0...1, using: &random)
      let grows = Int.random(in: 0..<10, using: &random) < (step < 6_000 ? 7 : 1)
      if grows {
        let key = Int64.random(in: 0..<2_000, using: &random) << (step % 3 * 10)
        ref = try BacklinkLeaf.add(key, at: index, in: ref, scratch.allocator)
        model[index].append(key)
      } else {
        let key = model[index].randomElement(using: &random) ?? 7
        ref = try BacklinkLeaf.remove(key, at: index, in: ref, scratch.allocator)
        if let position = model[index].firstIndex(of: key) {
          model[index].swapAt(position, model[index].count - 1)
          model[index].removeLast()
        }
      }
      guard step % 97 == 0 else { continue }
      try BacklinkLeaf.validate(ref, in: scratch.space)
      for index in 0..<5 {
        let links = try BacklinkLeaf.value(at: index, of: ref, in: scratch.space)
        var found: [Int64] = []
        try links.forEachKey(in: scratch.space) { key in
          found.append(key)
          return true
        }
        expectEqual(found.sorted(), model[index].sorted(), "seed \(seed), step \(step)")
        try expectEqual(links.count(in: scratch.space), model[index].count)
        for (position, key) in found.enumerated() where position % 50 == 0 {
          try expectEqual(links.key(at: position, in: scratch.space), key)
        }
        let isInline = links.slot & 1 == 1
        expectEqual(isInline, (model[index].count == 1))
        expectEqual((links.slot == 0), model[index].isEmpty)
      }
    }
  }

  @Test func removingOneOfSeveralEqualBacklinksRemovesOne() throws {
    let scratch = try ScratchSpace()
    var ref = try BacklinkLeaf.make(in: scratch.allocator)
    ref = try BacklinkLeaf.insert(.null, at: 0, in: ref, scratch.allocator)
    for _ in 0..<3 { ref = try BacklinkLeaf.add(9, at: 0, in: ref, scratch.allocator) }
    for left in [2, 1, 0, 0] {
      ref = try BacklinkLeaf.remove(9, at: 0, in: ref, scratch.allocator)
      let links = try BacklinkLeaf.value(at: 0, of: ref, in: scratch.space)
      try expectEqual(links.count(in: scratch.space), left)
    }
  }

  @Test func splittingAndJoiningMovesTheTrees() throws {
    let scratch = try ScratchSpace()
    var ref = try BacklinkLeaf.make(in: scratch.allocator)
    for index in 0..<8 {
      ref = try BacklinkLeaf.insert(.null, at: index, in: ref, scratch.allocator)
      for key in 0..<Int64(index) {
        ref = try BacklinkLeaf.add(key, at: index, in: ref, scratch.allocator)
      }
    }
    let (left, right) = try BacklinkLeaf.split(ref, at: 3, scratch.allocator)
    let joined = try BacklinkLeaf.append(right, to: left, scratch.allocator)
    let emptied = try BacklinkLeaf.remove(at: 7, from: joined, scratch.allocator)
    try expectEqual(BacklinkLeaf.count(emptied, in: scratch.space), 7)
    for index in 0..<7 {
      let links = try BacklinkLeaf.value(at: index, of: emptied, in: scratch.space)
      try expectEqual(links.count(in: scratch.space), index)
    }
  }
}
