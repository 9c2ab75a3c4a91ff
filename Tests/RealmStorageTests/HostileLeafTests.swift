// SPDX-License-Identifier: Apache-2.0

// Damaged leaves: whatever the bytes are, reading and editing gives values or throws.

import RealmTestSupport
import Testing

@testable import RealmStorage

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A leaf in what its readers take for the committed file, with a pristine copy of the bytes.
private final class DamagedLeaf<L: Leaf> {
  private let scratch: ScratchSpace
  private let start: UnsafeMutableRawPointer
  private let pristine: [UInt8]
  private let ref: Ref
  private let space: NodeSpace

  init(_ values: [(inout Ref, Int, NodeAllocator) throws -> Void]) throws {
    scratch = try ScratchSpace()
    var ref = try L.make(in: scratch.allocator)
    for (index, insert) in values.enumerated() { try insert(&ref, index, scratch.allocator) }
    self.ref = ref
    let old = scratch.space
    // What would be the mapped file lies in front, readable as that is.
    mprotect(UnsafeMutableRawPointer(mutating: old.base), old.slabStart, PROT_READ)
    start = UnsafeMutableRawPointer(mutating: old.base + old.slabStart)
    let byteCount = scratch.allocator.slabByteCount
    pristine = Array(UnsafeRawBufferPointer(start: start, count: byteCount))
    space = NodeSpace(
      base: old.base, fileEnd: old.slabStart + byteCount, slabStart: old.slabStart + 64 << 20,
      slabEnd: old.slabEnd)
  }

  /// Changes a few bytes, and uses the leaf in every way; only `StorageError` may come out.
  ///
  /// - Returns: Whether the leaf was found to be damaged.
  func damageAndUse(_ random: inout SeededGenerator) -> Bool {
    start.copyMemory(from: pristine, byteCount: pristine.count)
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let offset = Int.random(in: 0..<pristine.count, using: &random)
      let byte: UInt8 =
        Bool.random(using: &random)
        ? .random(in: 0...255, using: &random)
        : pristine[offset] ^ 1 << UInt8.random(in: 0..<8, using: &random)
      start.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
    }
    let count = (try? L.count(ref, in: space)) ?? 3
    for index in [-1, 0, 1, count / 2, count - 1, count, Int.max] {
      _ = try? L.value(at: index, of: ref, in: space)
    }
    for index in 0..<min(count, 40) { _ = try? L.value(at: index, of: ref, in: space) }
    let isRefused = (try? L.validate(ref, in: space)) == nil
    let allocator = NodeAllocator(space: space)
    let position = Int.random(in: 0...max(count, 0), using: &random)
    switch Int.random(in: 0..<5, using: &random) {
    case 0: _ = try? L.remove(at: position, from: ref, allocator)
    case 1: _ = try? L.split(ref, at: position, allocator)
    case 2:
      if let other = try? L.make(in: allocator) { _ = try? L.append(ref, to: other, allocator) }
    case 3:
      if let value = try? L.value(at: position, of: ref, in: space) {
        _ = try? L.insert(value, at: count / 2, in: ref, allocator)
      }
    default:
      if let value = try? L.value(at: 0, of: ref, in: space) {
        _ = try? L.set(value, at: position, in: ref, allocator)
      }
    }
    return isRefused
  }
}

/// Damages a leaf of the given values many times.
private func expectNoTrap<L: Leaf>(
  _ type: L.Type, seed: UInt64, _ values: [(inout Ref, Int, NodeAllocator) throws -> Void]
) throws {
  var random = SeededGenerator(seed: seed)
  let leaf = try DamagedLeaf<L>(values)
  var refusedCount = 0
  for _ in 0..<1_500 where leaf.damageAndUse(&random) { refusedCount += 1 }
  // The damage reaches the leaf, and not every byte of it matters.
  #expect((1..<1_500).contains(refusedCount), "\(L.self)")
}

/// Steps that insert plain values.
private func steps<L: Leaf>(
  _ type: L.Type, _ values: [L.Value]
) -> [(inout Ref, Int, NodeAllocator) throws -> Void] {
  values.map { value in
    { ref, index, allocator in ref = try L.insert(value, at: index, in: ref, allocator) }
  }
}

/// Steps that insert strings or binaries of the given lengths, null for negative ones.
private func byteSteps<L: Leaf>(
  _ type: L.Type, _ counts: [Int], wrap: @escaping (ByteView?) -> L.Value
) -> [(inout Ref, Int, NodeAllocator) throws -> Void] {
  counts.map { count in
    { ref, index, allocator in
      guard count >= 0 else {
        ref = try L.insert(wrap(nil), at: index, in: ref, allocator)
        return
      }
      let bytes = [UInt8](repeating: 65, count: count)
      ref = try bytes.withUnsafeBytes {
        try L.insert(wrap(ByteView($0)), at: index, in: ref, allocator)
      }
    }
  }
}

struct HostileLeafTests {
  /// `ARCHITECTURE` 4.
  @Test func numbers() throws {
    try expectNoTrap(
      IntegerLeaf.self, seed: 1, steps(IntegerLeaf.self, [1, 3, 15, 100, 1 << 20, -5]))
    try expectNoTrap(
      NullableIntegerLeaf.self, seed: 2,
      steps(NullableIntegerLeaf.self, [1, nil, 15, 100, .max, .min, nil, 0x7FFF_FFFF]))
    try expectNoTrap(BoolLeaf.self, seed: 3, steps(BoolLeaf.self, [true, nil, false, true]))
    try expectNoTrap(DoubleLeaf.self, seed: 4, steps(DoubleLeaf.self, [1, nil, -2.5, .nan]))
    try expectNoTrap(FloatLeaf.self, seed: 5, steps(FloatLeaf.self, [1, nil, -2.5, .nan]))
    try expectNoTrap(LinkLeaf.self, seed: 6, steps(LinkLeaf.self, [1, nil, 700, 1 << 33]))
    try expectNoTrap(
      TypedLinkLeaf.self, seed: 7,
      steps(TypedLinkLeaf.self, [nil, TypedLink(table: 4, key: 9), TypedLink(table: 1, key: 2)]))
  }

  @Test func compounds() throws {
    let times = (0..<9).map { Timestamp(seconds: 1 << $0 * 5, nanoseconds: 7) }
    try expectNoTrap(TimestampLeaf.self, seed: 11, steps(TimestampLeaf.self, times + [nil]))
    try expectNoTrap(
      ObjectIdLeaf.self, seed: 12,
      steps(ObjectIdLeaf.self, (0..<20).map { $0 % 5 == 0 ? nil : Bytes12(high: $0, low: 1) }))
    try expectNoTrap(
      UUIDLeaf.self, seed: 13,
      steps(UUIDLeaf.self, (0..<20).map { $0 % 5 == 0 ? nil : Bytes16(high: $0, low: 1) }))
    for (seed, coefficient) in [(14, 5), (15, 1 << 40), (16, 1 << 100)] as [(UInt64, UInt128)] {
      let value = DecimalBits(isNegative: true, coefficient: coefficient, exponent: 4)
      try expectNoTrap(
        DecimalLeaf.self, seed: seed, steps(DecimalLeaf.self, [value, nil, .zero, value]))
    }
  }

  @Test(arguments: [[3, 15, -1, 0, 7], [40, 3, -1, 0, 63], [200, 3, -1, 0, 70]])
  func bytes(counts: [Int]) throws {
    try expectNoTrap(
      StringLeaf.self, seed: 21, byteSteps(StringLeaf.self, counts + counts) { $0 })
    try expectNoTrap(
      BinaryLeaf.self, seed: 22, byteSteps(BinaryLeaf.self, counts + counts) { $0 })
  }

  @Test func mixedValues() throws {
    let values: [MixedValue] = [
      .int(5), .int(1 << 50), .null, .bool(true), .double(2.5), .float(1), .list(.null),
      .timestamp(Timestamp(seconds: 5, nanoseconds: 6)), .typedLink(table: 3, key: 4),
      .objectId(Bytes12(high: 1, low: 2)), .uuid(Bytes16(high: 1, low: 2)), .dictionary(.null),
      .decimal(DecimalBits(low: 3, high: 4)),
    ]
    try expectNoTrap(
      MixedLeaf.self, seed: 31,
      steps(MixedLeaf.self, values)
        + byteSteps(MixedLeaf.self, [3, 20, 0]) { $0.map { .string($0) } ?? .null }
        + steps(MixedLeaf.self, values))
  }

  @Test func backlinks() throws {
    let make: [(inout Ref, Int, NodeAllocator) throws -> Void] = (0..<6).map { count in
      { ref, index, allocator in
        ref = try BacklinkLeaf.insert(.null, at: index, in: ref, allocator)
        for key in 0..<Int64(count) {
          ref = try BacklinkLeaf.add(key, at: index, in: ref, allocator)
        }
      }
    }
    try expectNoTrap(BacklinkLeaf.self, seed: 41, make)
  }

  @Test func trees() throws {
    try expectNoTrap(TreeLeaf.self, seed: 51, steps(TreeLeaf.self, (0..<3_500).map(Int64.init)))
  }
}

/// A whole B+ tree dressed as a leaf, so that it takes the same beating.
private enum TreeLeaf: Leaf {
  typealias Value = Int64
  typealias Tree = BTree<IntegerLeaf>

  static func zero(isNullable: Bool) -> Int64 { 0 }
  static func make(in allocator: NodeAllocator) throws(StorageError) -> Ref {
    try Tree.make(in: allocator)
  }
  static func count(_ ref: Ref, in space: NodeSpace) throws(StorageError) -> Int {
    try Tree.count(ref, in: space)
  }
  static func value(
    at index: Int, of ref: Ref, in space: NodeSpace
  ) throws(StorageError) -> Int64 { try Tree.value(at: index, of: ref, in: space) }
  static func insert(
    _ value: Int64, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref { try Tree.insert(value, at: index, in: ref, allocator) }
  static func set(
    _ value: Int64, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref { try Tree.set(value, at: index, in: ref, allocator) }
  static func remove(
    at index: Int, from ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref { try Tree.remove(at: index, from: ref, allocator) }
  static func split(
    _ ref: Ref, at index: Int, _ allocator: NodeAllocator
  ) throws(StorageError) -> (Ref, Ref) { (ref, ref) }
  static func append(
    _ other: Ref, to ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref { ref }
  static func validate(_ ref: Ref, in space: NodeSpace) throws(StorageError) {
    try Tree.validate(ref, in: space)
  }
}
