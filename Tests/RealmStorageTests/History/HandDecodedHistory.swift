// SPDX-License-Identifier: Apache-2.0

// The history of a synchronised file as its bytes say, read by the rules of the specification only.

/// Decodes the history that hangs on the selected top array of a plain file, without the engine.
struct HandDecodedHistory {
  struct Malformed: Error {
    let reason: String
  }

  let topSlots: [Int64]
  /// The 21 slots of the root.
  let slots: [Int64]
  let changesets: [[UInt8]?]
  let reciprocals: [[UInt8]?]
  let remoteVersions: [Int64]
  let originFiles: [Int64]
  let originTimestamps: [Int64]
  /// Slot 0.
  let local: [[UInt8]?]

  init(_ bytes: [UInt8]) throws {
    let file = Reader(bytes: bytes)
    topSlots = try file.integers(at: file.topRef)
    slots = try file.integers(at: Int(topSlots[8]))
    guard slots.count == 21 else { throw Malformed(reason: "\(slots.count) slots") }
    changesets = try file.binaries(at: Int(slots[13]))
    reciprocals = try file.binaries(at: Int(slots[14]))
    remoteVersions = try file.numbers(at: Int(slots[15]))
    originFiles = try file.numbers(at: Int(slots[16]))
    originTimestamps = try file.numbers(at: Int(slots[17]))
    local = try file.binaries(at: Int(slots[0]))
  }

  /// The tagged number in a slot of the root.
  func number(_ slot: Int) -> Int? { Self.tagged(slots[slot]) }

  /// The tagged number in a slot of the top array.
  func topNumber(_ slot: Int) -> Int? { Self.tagged(topSlots[slot]) }

  private static func tagged(_ slot: Int64) -> Int? {
    slot & 1 == 1 ? Int(UInt64(bitPattern: slot) >> 1) : nil
  }

  private struct Reader {
    let bytes: [UInt8]

    func word(_ offset: Int, _ count: Int = 8) -> UInt64 {
      (0..<count).reduce(0) { $0 | UInt64(bytes[offset + $1]) << UInt64(8 * $1) }
    }

    var topRef: Int {
      let first = word(0)
      // The streaming form keeps its top ref in the footer.
      return first == .max ? Int(word(bytes.count - 16)) : Int(word(Int(bytes[23] & 1) * 8))
    }

    func header(_ ref: Int) -> (flags: UInt8, width: Int, layout: Int, count: Int) {
      let byte = bytes[ref + 4]
      let count = Int(bytes[ref + 5]) << 16 | Int(bytes[ref + 6]) << 8 | Int(bytes[ref + 7])
      return (byte & 0xE0, [0, 1, 2, 4, 8, 16, 32, 64][Int(byte & 7)], Int(byte >> 3 & 3), count)
    }

    func integers(at ref: Int) throws -> [Int64] {
      let (_, width, layout, count) = header(ref)
      guard layout == 0 else { throw Malformed(reason: "no integers at \(ref)") }
      return (0..<count).map { index in
        switch width {
        case 0: return 0
        case 1, 2, 4:
          let bit = index * width
          return Int64(bytes[ref + 8 + bit / 8] >> UInt8(bit % 8)) & (1 << Int64(width) - 1)
        default:
          let raw = word(ref + 8 + index * width / 8, width / 8)
          return Int64(bitPattern: raw << UInt64(64 - width)) >> Int64(64 - width)
        }
      }
    }

    func leaves(at ref: Int) throws -> [Int] {
      guard header(ref).flags & 0x80 != 0 else { return [ref] }
      return try integers(at: ref).dropFirst().dropLast().flatMap { try leaves(at: Int($0)) }
    }

    func numbers(at ref: Int) throws -> [Int64] {
      try leaves(at: ref).flatMap { try integers(at: $0) }
    }

    func blob(at ref: Int) throws -> [UInt8] {
      let (flags, _, _, count) = header(ref)
      if flags & 0x40 != 0 { return try integers(at: ref).flatMap { try blob(at: Int($0)) } }
      return Array(bytes[ref + 8..<ref + 8 + count])
    }

    func binaries(at ref: Int) throws -> [[UInt8]?] {
      try leaves(at: ref).flatMap { leaf -> [[UInt8]?] in
        let slots = try integers(at: leaf)
        if header(leaf).flags & 0x20 != 0 {
          return try slots.map { $0 == 0 ? nil : try blob(at: Int($0)) }
        }
        let ends = try integers(at: Int(slots[0]))
        let data = try blob(at: Int(slots[1]))
        let nulls = try integers(at: Int(slots[2]))
        return ends.indices.map { index in
          nulls[index] != 0
            ? nil : Array(data[(index == 0 ? 0 : Int(ends[index - 1]))..<Int(ends[index])])
        }
      }
    }
  }
}
