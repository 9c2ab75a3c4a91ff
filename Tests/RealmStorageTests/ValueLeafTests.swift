// SPDX-License-Identifier: Apache-2.0

// Leaves of floating numbers, timestamps, decimals, IDs and typed links against arrays.

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct ValueLeafTests {
  @Test func doubles() throws {
    let special: [UInt64] = [
      Double.nullBits + 1, 0x7FF8_0000_0000_0000, (-Double.infinity).bitPattern,
      (-0.0).bitPattern, Double.leastNonzeroMagnitude.bitPattern,
    ]
    try expectLeaf(
      DoubleLeaf.self, seed: 71, steps: 900,
      random: { random, _ -> UInt64? in
        switch Int.random(in: 0..<4, using: &random) {
        case 0: nil
        case 1: special.randomElement(using: &random)
        default: Double.random(in: -1e9...1e9, using: &random).bitPattern
        }
      },
      toLeaf: { value, store in try store(value.map { Double(bitPattern: $0) }) },
      toModel: { $0?.bitPattern })
  }

  @Test func floats() throws {
    try expectLeaf(
      FloatLeaf.self, seed: 72, steps: 900,
      random: { random, _ -> UInt32? in
        Int.random(in: 0..<4, using: &random) == 0
          ? nil : Float.random(in: -1e9...1e9, using: &random).bitPattern
      },
      toLeaf: { value, store in try store(value.map { Float(bitPattern: $0) }) },
      toModel: { $0?.bitPattern })
  }

  @Test func aNaNWithThePatternOfNullIsStoredAsAnother() throws {
    let scratch = try ScratchSpace()
    var ref = try DoubleLeaf.make(in: scratch.allocator)
    ref = try DoubleLeaf.insert(
      Double(bitPattern: Double.nullBits), at: 0, in: ref, scratch.allocator)
    let double = try DoubleLeaf.value(at: 0, of: ref, in: scratch.space)
    expectEqual(double?.bitPattern, 0x7FF8_0000_0000_0000)
    ref = try FloatLeaf.make(in: scratch.allocator)
    ref = try FloatLeaf.insert(
      Float(bitPattern: Float.nullBits), at: 0, in: ref, scratch.allocator)
    try expectEqual(FloatLeaf.value(at: 0, of: ref, in: scratch.space)?.bitPattern, 0x7FC0_0000)
  }

  @Test(arguments: [73, 74] as [UInt64])
  func timestamps(seed: UInt64) throws {
    try expectLeaf(
      TimestampLeaf.self, seed: seed, steps: 900,
      random: { random, step -> Timestamp? in
        if Int.random(in: 0..<4, using: &random) == 0 { return nil }
        let seconds = randomInteger(&random, bits: min(64, 1 + step / 12))
        let nanoseconds = Int32.random(in: 0..<1_000_000_000, using: &random)
        return Timestamp(
          seconds: seconds, nanoseconds: seconds < 0 ? -nanoseconds : nanoseconds)
      },
      toLeaf: { value, store in try store(value) }, toModel: { $0 })
  }

  @Test func theTimestampExampleOfTheFormatHolds() throws {
    let scratch = try ScratchSpace()
    var ref = try TimestampLeaf.make(in: scratch.allocator)
    ref = try TimestampLeaf.insert(
      Timestamp(seconds: -1, nanoseconds: -250_000_000), at: 0, in: ref, scratch.allocator)
    let outer = try scratch.space.node(at: ref)
    expectEqual(Array(try scratch.space.node(at: outer.ref(at: 0)).bytes), [0x7F, 0xFF])
    expectEqual(
      Array(try scratch.space.node(at: outer.ref(at: 1)).bytes), [0x80, 0x4D, 0x19, 0xF1])
  }

  @Test(arguments: [0, 4, 8, 16, -1])
  func decimals(widest: Int) throws {
    try expectLeaf(
      DecimalLeaf.self, seed: UInt64(80 + widest), steps: 900,
      random: { random, step -> DecimalBits? in
        // The leaf may widen only late in the run, so that each width is edited.
        let width = widest >= 0 ? widest : [0, 4, 8, 16][min(3, step / 200)]
        return randomDecimal(&random, widest: width)
      },
      toLeaf: { value, store in try store(value) }, toModel: { $0 })
  }

  @Test func theDecimalExampleOfTheFormatHolds() throws {
    let scratch = try ScratchSpace()
    var ref = try DecimalLeaf.make(in: scratch.allocator)
    let value = DecimalBits(isNegative: false, coefficient: 15, exponent: -1)
    ref = try DecimalLeaf.insert(value, at: 0, in: ref, scratch.allocator)
    expectEqual(Array(try scratch.space.node(at: ref).bytes), [0x0F, 0, 0, 0x32])
    try expectEqual(DecimalLeaf.value(at: 0, of: ref, in: scratch.space), value)
  }

  @Test func aDecimalGetsTheNarrowestWidthThatHoldsIt() {
    func width(_ coefficient: UInt128, _ exponent: Int) -> Int {
      DecimalBits(isNegative: true, coefficient: coefficient, exponent: exponent).leafWidth
    }
    expectEqual(DecimalBits.zero.leafWidth, 0)
    expectEqual(width(0, 0), 4)
    expectEqual(width((1 << 23) - 1, 90), 4)
    expectEqual(width(1 << 23, 90), 8)
    expectEqual(width(1, -91), 8)
    expectEqual(width((1 << 53) - 1, -369), 8)
    expectEqual(width(1 << 53, 0), 16)
    expectEqual(width(1, 370), 16)
    expectEqual(width(1 << 64, 0), 16)
    expectEqual(DecimalBits(low: 0, high: 0x7800_0000_0000_0000).leafWidth, 16)
    expectEqual(DecimalBits(low: 0, high: 0x7C00_0000_0000_0000).leafWidth, 16)
  }

  @Test func decimalsOfTheLargeCoefficientFormsAreRead() {
    // Exponent 0, coefficient 2^23 + 5 and 2^53 + 5.
    let narrow = DecimalBits(bits32: 3 << 29 | 101 << 21 | 5)
    expectEqual(
      narrow, DecimalBits(isNegative: false, coefficient: (1 << 23) + 5, exponent: 0))
    let wide = DecimalBits(bits64: 1 << 63 | 3 << 61 | 398 << 51 | 5)
    expectEqual(wide, DecimalBits(isNegative: true, coefficient: (1 << 53) + 5, exponent: 0))
  }

  @Test func objectIds() throws {
    try expectLeaf(
      ObjectIdLeaf.self, seed: 91, steps: 1_200,
      random: { random, _ -> Bytes12? in
        Int.random(in: 0..<4, using: &random) == 0
          ? nil
          : Bytes12(
            high: .random(in: 0 ... .max, using: &random),
            low: .random(in: 0 ... .max, using: &random))
      },
      toLeaf: { value, store in try store(value) }, toModel: { $0 })
  }

  @Test func uuids() throws {
    try expectLeaf(
      UUIDLeaf.self, seed: 92, steps: 1_200,
      random: { random, _ -> Bytes16? in
        Int.random(in: 0..<4, using: &random) == 0
          ? nil
          : Bytes16(
            high: .random(in: 0 ... .max, using: &random),
            low: .random(in: 0 ... .max, using: &random))
      },
      toLeaf: { value, store in try store(value) }, toModel: { $0 })
  }

  @Test func theObjectIdExampleOfTheFormatHolds() throws {
    let scratch = try ScratchSpace()
    var ref = try ObjectIdLeaf.make(in: scratch.allocator)
    let id = Bytes12(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C)
    ref = try ObjectIdLeaf.insert(id, at: 0, in: ref, scratch.allocator)
    ref = try ObjectIdLeaf.insert(nil, at: 1, in: ref, scratch.allocator)
    let expected: [UInt8] = [2] + Array(1...12) + [UInt8](repeating: 0, count: 12)
    expectEqual(Array(try scratch.space.node(at: ref).bytes), expected)
    try expectEqual(scratch.space.node(at: ref).header.widthCode, 1)
  }

  @Test func aLeafOfIDsWithAnImpossibleSizeThrows() throws {
    let scratch = try ScratchSpace()
    for size in 1..<13 {
      let header = NodeHeader(flags: [], layout: .multiply, widthCode: 1, count: size)
      let node = try scratch.allocator.allocate(header, capacity: 0)
      #expect(throws: StorageError.self) {
        try ObjectIdLeaf.validate(
          node.ref, in: scratch.space)
      }
    }
  }

  @Test func typedLinks() throws {
    try expectLeaf(
      TypedLinkLeaf.self, seed: 93, steps: 900,
      random: { random, _ -> TypedLink? in
        Int.random(in: 0..<4, using: &random) == 0
          ? nil
          : TypedLink(
            table: .random(in: 0..<0x7FFF_FFFF, using: &random),
            key: randomInteger(&random, bits: 60))
      },
      toLeaf: { value, store in try store(value) }, toModel: { $0 })
  }
}

/// Null, zero, or a decimal that a leaf of that width can hold.
private func randomDecimal(_ random: inout SeededGenerator, widest: Int) -> DecimalBits? {
  switch Int.random(in: 0..<6, using: &random) {
  case 0: return nil
  case 1: return .zero
  default: break
  }
  let isNegative = Bool.random(using: &random)
  switch widest {
  case 0: return Bool.random(using: &random) ? nil : .zero
  case 4:
    return DecimalBits(
      isNegative: isNegative, coefficient: .random(in: 0..<1 << 23, using: &random),
      exponent: .random(in: -90...90, using: &random))
  case 8:
    return DecimalBits(
      isNegative: isNegative, coefficient: .random(in: 0..<1 << 53, using: &random),
      exponent: .random(in: -369...369, using: &random))
  default:
    if Int.random(in: 0..<8, using: &random) == 0 {
      return DecimalBits(low: 0, high: isNegative ? 0xF800 << 48 : 0x7C00 << 48)
    }
    return DecimalBits(
      isNegative: isNegative,
      coefficient: .random(in: 0...DecimalBits.maximumCoefficient, using: &random),
      exponent: .random(in: -6176...6111, using: &random))
  }
}
