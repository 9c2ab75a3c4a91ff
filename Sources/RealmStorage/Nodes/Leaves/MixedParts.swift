// SPDX-License-Identifier: Apache-2.0

// The composite integers of mixed leaves, and the payload nodes that they point into.

/// One element of the composite node: type, and the value itself or where it is (file format 4.9).
///
/// ```
/// bits 63..8  value or index     bits 7..5  payload slot, 0 for inline     bits 4..0  type + 1
/// ```
struct MixedCode: Hashable {
  var bits: Int64

  static let null = MixedCode(bits: 0)

  init(bits: Int64) { self.bits = bits }

  init(_ type: MixedType, inline value: Int64) {
    bits = value &<< 8 | type.rawValue
  }

  init(_ type: MixedType, _ payload: MixedSlot, index: Int) {
    bits = Int64(index) &<< 8 | Int64(payload.rawValue) &<< 5 | type.rawValue
  }

  /// The type of the element; nil for a number that is no type of the format.
  var type: MixedType? { MixedType(rawValue: bits & 31) }

  /// The slot that holds the value; nil if it is here.
  var payload: MixedSlot? { MixedSlot(rawValue: Int(bits &>> 5) & 7) }

  /// The value of an inline element, else the index of the payload entry.
  var value: Int64 { bits &>> 8 }
}

/// The type codes of composite integers, which are one more than those of columns.
enum MixedType: Int64 {
  case int = 1
  case bool = 2
  case string = 3
  case binary = 5
  case timestamp = 9
  case float = 10
  case double = 11
  case decimal = 12
  case link = 13
  case objectId = 16
  case typedLink = 17
  case uuid = 18
  case list = 20
  case dictionary = 22

  /// The slot whose entries hold values of the type; integers may be inline too, booleans always
  /// are.
  var payload: MixedSlot? {
    switch self {
    case .bool: nil
    case .int, .float, .double, .link: .integers
    case .string, .binary, .objectId, .uuid: .strings
    case .timestamp, .decimal, .typedLink: .pairs
    case .list, .dictionary: .refs
    }
  }
}

/// The slots of the outer node of a mixed leaf that hold payload.
enum MixedSlot: Int, CaseIterable {
  case integers = 1
  case pairs = 2
  case strings = 3
  case refs = 4

  static let composite = 0
  static let salts = 5
  static let count = 6
}

/// The parts of a mixed leaf, for reading.
struct MixedParts {
  let outer: Node
  let composite: Node
  let space: NodeSpace

  init(_ ref: Ref, in space: NodeSpace) throws(StorageError) {
    outer = try IntegerNode.checked(ref, in: space)
    guard outer.header.hasRefs, outer.count >= 4 else {
      throw StorageError.corrupted("a leaf of mixed values at \(ref.offset) lacks its parts")
    }
    composite = try IntegerNode.checked(try outer.ref(at: MixedSlot.composite), in: space)
    self.space = space
  }

  var count: Int { composite.count }

  func code(at index: Int) throws(StorageError) -> MixedCode {
    MixedCode(bits: try composite.integer(at: index))
  }

  /// The node in a slot; leaves written before format 24 end before slot 4.
  func ref(in slot: Int) throws(StorageError) -> Ref {
    slot < outer.count ? try outer.ref(at: slot) : .null
  }

  /// The number of entries of a payload slot.
  func entryCount(_ slot: MixedSlot) throws(StorageError) -> Int {
    let ref = try ref(in: slot.rawValue)
    guard !ref.isNull else { return 0 }
    if slot == .strings { return try StringLeaf.count(ref, in: space) }
    let count = try IntegerNode.checked(ref, in: space).count
    return slot == .pairs ? count / 2 : count
  }

  private func integer(_ slot: MixedSlot, _ index: Int64) throws(StorageError) -> Int64 {
    guard index < NodeHeader.maximumCount else {
      throw StorageError.elementOutOfBounds(Int(index), in: composite)
    }
    return try space.node(at: try ref(in: slot.rawValue)).integer(at: Int(index))
  }

  private func pair(_ index: Int64) throws(StorageError) -> (Int64, Int64) {
    guard index >= 0, index < NodeHeader.maximumCount else {
      throw StorageError.elementOutOfBounds(Int(index), in: composite)
    }
    return (try integer(.pairs, 2 * index), try integer(.pairs, 2 * index + 1))
  }

  private func bytes(_ index: Int64) throws(StorageError) -> ByteView {
    let ref = try ref(in: MixedSlot.strings.rawValue)
    guard let bytes = try StringLeaf.value(at: Int(index), of: ref, in: space) else {
      throw StorageError.corrupted("a string of a mixed leaf is null")
    }
    return bytes
  }

  private func bytes(_ index: Int64, count: Int) throws(StorageError) -> UnsafeRawPointer {
    let bytes = try bytes(index)
    guard bytes.count == count, let start = unsafe bytes.bytes.baseAddress else {
      throw StorageError.corrupted("a mixed leaf holds an ID of \(bytes.count) bytes")
    }
    return unsafe start
  }

  /// The salt of element `index`, which distinguishes a nested collection from its neighbours.
  func salt(at index: Int) throws(StorageError) -> Int64 {
    let ref = try ref(in: MixedSlot.salts)
    guard !ref.isNull else { return 0 }
    let salts = try IntegerNode.checked(ref, in: space)
    return index < salts.count ? try salts.integer(at: index) : 0
  }

  /// The position of the element that carries `salt`, which is not 0; nil if there is none.
  func position(ofSalt salt: Int64) throws(StorageError) -> Int? {
    let ref = try ref(in: MixedSlot.salts)
    guard !ref.isNull else { return nil }
    let salts = try IntegerNode.checked(ref, in: space)
    for index in 0..<salts.count where try salts.integer(at: index) == salt { return index }
    return nil
  }

  /// The value that a composite integer represents.
  func value(of code: MixedCode) throws(StorageError) -> MixedValue {
    if code == .null { return .null }
    guard let type = code.type, code.bits >> 5 & 7 == 0 || code.payload == type.payload,
      code.payload != nil || type == .int || type == .bool
    else {
      throw StorageError.corrupted("a mixed value has the unknown code \(code.bits)")
    }
    switch type {
    case .int: return .int(code.payload == nil ? code.value : try integer(.integers, code.value))
    case .bool: return .bool(code.value != 0)
    case .string: return .string(try bytes(code.value))
    case .binary: return .binary(try bytes(code.value))
    case .objectId:
      return unsafe .objectId(Bytes12(loadingFrom: try bytes(code.value, count: Bytes12.byteCount)))
    case .uuid:
      return unsafe .uuid(Bytes16(loadingFrom: try bytes(code.value, count: Bytes16.byteCount)))
    case .float:
      let bits = try integer(.integers, code.value)
      return .float(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
    case .double:
      return .double(Double(bitPattern: UInt64(bitPattern: try integer(.integers, code.value))))
    case .timestamp:
      let (seconds, nanoseconds) = try pair(code.value)
      guard nanoseconds > -1_000_000_000, nanoseconds < 1_000_000_000 else {
        throw StorageError.corrupted("a timestamp has \(nanoseconds) nanoseconds")
      }
      return .timestamp(Timestamp(seconds: seconds, nanoseconds: Int32(nanoseconds)))
    case .decimal:
      let (low, high) = try pair(code.value)
      return .decimal(
        DecimalBits(low: UInt64(bitPattern: low), high: UInt64(bitPattern: high)))
    case .typedLink:
      let (table, key) = try pair(code.value)
      return .typedLink(table: table, key: key)
    case .list, .dictionary:
      let slot = try integer(.refs, code.value)
      guard slot & 1 == 0 else { throw StorageError.slotIsNotARef(Int(code.value), in: outer) }
      return type == .list ? .list(Ref(Int(slot))) : .dictionary(Ref(Int(slot)))
    case .link:
      throw StorageError.corrupted("a mixed value links to an object of no table")
    }
  }
}
