// SPDX-License-Identifier: Apache-2.0

// Leaves of numbers, strings and binaries against arrays.

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct LeafTests {
  @Test(arguments: [11, 12] as [UInt64])
  func integers(seed: UInt64) throws {
    try expectLeaf(
      IntegerLeaf.self, seed: seed, steps: 1_500,
      random: { random, step in randomInteger(&random, bits: min(64, 1 + step / 20)) },
      toLeaf: { value, store in try store(value) }, toModel: { $0 })
  }

  /// `NullableIntegerLeaf` 2.
  @Test(arguments: [21, 22, 23] as [UInt64])
  func nullableIntegers(seed: UInt64) throws {
    // Markers are the largest value of a width: have many of those, and many nulls.
    let markers: [Int64] = [0, 1, 3, 15, 127, 32767, Int64(Int32.max), .max, .max - 1, .min]
    try expectLeaf(
      NullableIntegerLeaf.self, seed: seed, steps: 1_500,
      random: { random, step -> Int64? in
        switch Int.random(in: 0..<4, using: &random) {
        case 0: nil
        case 1: markers[Int.random(in: 0..<min(10, 1 + step / 100), using: &random)]
        default: randomInteger(&random, bits: min(64, 1 + step / 20))
        }
      },
      toLeaf: { value, store in try store(value) }, toModel: { $0 })
  }

  @Test func booleans() throws {
    try expectLeaf(
      BoolLeaf.self, seed: 31, steps: 800,
      random: { random, _ in [true, false, nil].randomElement(using: &random) ?? nil },
      toLeaf: { value, store in try store(value) }, toModel: { $0 })
  }

  @Test func links() throws {
    try expectLeaf(
      LinkLeaf.self, seed: 41, steps: 800,
      random: { random, _ -> Int64? in
        // Key -1 is how the format writes null.
        let key = randomInteger(&random, bits: 60)
        return Bool.random(using: &random) || key == -1 ? nil : key
      },
      toLeaf: { value, store in try store(value) }, toModel: { $0 })
  }

  @Test(arguments: [(51, 15), (52, 16), (53, 63), (54, 70), (55, 300)] as [(UInt64, Int)])
  func strings(seed: UInt64, longest: Int) throws {
    try expectLeaf(
      StringLeaf.self, seed: seed, steps: 900,
      random: { random, step in randomBytes(&random, upTo: min(longest, step / 10)) },
      toLeaf: store, toModel: { $0.map { Array($0.bytes) } })
  }

  @Test(arguments: [(61, 64), (62, 65), (63, 400)] as [(UInt64, Int)])
  func binaries(seed: UInt64, longest: Int) throws {
    try expectLeaf(
      BinaryLeaf.self, seed: seed, steps: 900,
      random: { random, step in randomBytes(&random, upTo: min(longest, step / 8)) },
      toLeaf: store, toModel: { $0.map { Array($0.bytes) } })
  }

  /// The format has another form for binaries of more than 64 bytes (file format 4.4.4).
  @Test(arguments: [(0, false), (64, false), (65, true)])
  func binariesHaveAFormByTheLongest(byteCount: Int, isBig: Bool) throws {
    let scratch = try ScratchSpace()
    var ref = try BinaryLeaf.make(in: scratch.allocator)
    for (index, count) in [3, byteCount].enumerated() {
      ref = try store([UInt8](repeating: 7, count: count)) {
        try BinaryLeaf.insert($0, at: index, in: ref, scratch.allocator)
      }
    }
    try expectEqual(scratch.space.node(at: ref).header.hasContext, isBig)
    ref = try store([UInt8](repeating: 8, count: byteCount)) {
      try BinaryLeaf.set($0, at: 0, in: ref, scratch.allocator)
    }
    try expectEqual(scratch.space.node(at: ref).header.hasContext, isBig)
  }

  /// Changes cost no copy as long as there is room, to the last byte of it.
  @Test func aFullLeafOfShortStringsIsChangedWhereItIs() throws {
    let scratch = try ScratchSpace()
    let header = NodeHeader(flags: [], layout: .multiply, widthCode: 4, count: 2)
    let ref = try scratch.allocator.allocate(header, capacity: 16).ref
    for index in 0..<2 {
      let changed = try store(Array("Rex".utf8)) {
        try ShortStrings.set($0, at: index, in: ref, scratch.allocator)
      }
      expectEqual(changed, ref)
    }
    let cell = Array("Rex".utf8) + [0, 0, 0, 0, 4]
    try expectEqual(Array(scratch.space.node(at: ref).bytes), cell + cell)
  }

  @Test func aStringLeafOfEachFormHasTheBytesOfTheFormat() throws {
    let scratch = try ScratchSpace()
    var ref = try StringLeaf.make(in: scratch.allocator)
    for (index, text) in ["Rex", "", nil].enumerated() {
      ref = try store(text.map { Array($0.utf8) }) {
        try StringLeaf.insert($0, at: index, in: ref, scratch.allocator)
      }
    }
    let bytes = Array(try scratch.space.node(at: ref).bytes)
    expectEqual(bytes, Array("Rex".utf8) + [0, 0, 0, 0, 3, 0, 0, 0, 4])
  }

  /// `NullableIntegerLeaf` 1.
  @Test func theNullMarkerExampleOfTheFormatHolds() throws {
    let scratch = try ScratchSpace()
    var ref = try NullableIntegerLeaf.make(in: scratch.allocator)
    ref = try NullableIntegerLeaf.insert(-3, at: 0, in: ref, scratch.allocator)
    ref = try NullableIntegerLeaf.insert(nil, at: 1, in: ref, scratch.allocator)
    expectEqual(Array(try scratch.space.node(at: ref).bytes), [0x7F, 0xFD, 0x7F])
  }

  @Test(.heavy) func aBinaryOfManyMegabytesIsAChain() throws {
    let scratch = try ScratchSpace()
    let bytes = (0..<20_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    var ref = try BinaryLeaf.make(in: scratch.allocator)
    ref = try withView(of: bytes) { view throws(StorageError) in
      try BinaryLeaf.insert(view, at: 0, in: ref, scratch.allocator)
    }
    try expectEqual(BinaryLeaf.bytes(at: 0, of: ref, in: scratch.space), bytes)
    try BinaryLeaf.validate(ref, in: scratch.space)
  }

  @Test func aStringBeyondTheLimitThrows() throws {
    let scratch = try ScratchSpace()
    let ref = try StringLeaf.make(in: scratch.allocator)
    let bytes = [UInt8](repeating: 65, count: StringLeaf.maximumByteCount + 1)
    let text =
      "String too big: 16777200 bytes, and the limit is 16777199. Store it in a file of its own, "
      + "and here its path"
    #expect(throws: StorageError.limitExceeded(text)) {
      try store(bytes) { try StringLeaf.insert($0, at: 0, in: ref, scratch.allocator) }
    }
  }
}

/// Null, or up to that many bytes.
private func randomBytes(_ random: inout SeededGenerator, upTo longest: Int) -> [UInt8]? {
  if Int.random(in: 0..<6, using: &random) == 0 { return nil }
  let count = Int.random(in: 0...longest, using: &random)
  return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
}

/// Hands a view of the bytes to a leaf.
private func store(_ bytes: [UInt8]?, _ body: (ByteView?) throws -> Ref) throws -> Ref {
  guard let bytes else { return try body(nil) }
  return try bytes.withUnsafeBytes { try body(ByteView($0)) }
}
