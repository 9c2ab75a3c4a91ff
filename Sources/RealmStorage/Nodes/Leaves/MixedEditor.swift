// SPDX-License-Identifier: Apache-2.0

// Changing mixed leaves: composite, payload and salts together.

/// Edits one mixed leaf, whose outer node is made writable; keeps the invariants of `MixedLeaf`.
struct MixedEditor {
  private var outer: MutableNode
  private let allocator: NodeAllocator

  /// Where the leaf is.
  var ref: Ref { outer.ref }

  init(_ ref: Ref, _ allocator: NodeAllocator) throws(StorageError) {
    _ = try MixedParts(ref, in: allocator.space)
    self.allocator = allocator
    outer = try allocator.makeWritable(ref)
    if outer.count < MixedSlot.count {
      // A leaf from before format 24 gets the slots that were added then.
      var ref = ref
      for _ in try allocator.node(at: outer.ref).count..<MixedSlot.count {
        ref = try IntegerNode.append(0, to: outer.ref, allocator)
        outer = try allocator.makeWritable(ref)
      }
    }
    try alignSalts()
  }

  private var parts: MixedParts {
    get throws(StorageError) { try MixedParts(outer.ref, in: allocator.space) }
  }

  private func slot(_ slot: Int) throws(StorageError) -> Ref { try outer.node.ref(at: slot) }

  // MARK: Elements

  func insert(_ value: MixedValue, at index: Int) throws(StorageError) {
    let count = try parts.count
    guard index >= 0, index <= count else {
      throw .elementOutOfBounds(index, in: outer.node)
    }
    let salt = value.isCollection ? try freshSalt() : 0
    try insert(value, salt: salt, at: index)
  }

  private func insert(_ value: MixedValue, salt: Int64, at index: Int) throws(StorageError) {
    let code = try store(value)
    let composite = try IntegerNode.insert(
      code.bits, at: index, in: try slot(MixedSlot.composite), allocator)
    outer.store(composite.slot, at: MixedSlot.composite)
    var salts = try slot(MixedSlot.salts)
    guard salt != 0 || !salts.isNull else { return }
    if salts.isNull { salts = try makeSalts(count: try parts.count - 1) }
    salts = try IntegerNode.insert(salt, at: index, in: salts, allocator)
    outer.store(salts.slot, at: MixedSlot.salts)
  }

  func set(_ value: MixedValue, at index: Int) throws(StorageError) {
    let old = try parts.code(at: index)
    if let bytes = value.bytes, allocator.holds(bytes) {
      // The old value may be the one that the new one is a view of.
      let copy = try bytes.withCopy { (copy) throws(StorageError) in
        try store(value.replacingBytes(by: copy))
      }
      return try finishSetting(copy, salt: 0, old, at: index)
    }
    if value.isCollection, try parts.value(of: old).isSameTree(as: value) { return }
    let salt = value.isCollection ? try freshSalt() : 0
    try finishSetting(try store(value), salt: salt, old, at: index)
  }

  /// Puts a stored value in place of an element, and drops what that had.
  private func finishSetting(
    _ new: MixedCode, salt: Int64, _ old: MixedCode, at index: Int
  ) throws(StorageError) {
    try setCode(new, at: index)
    try setSalt(salt, at: index)
    try removePayload(of: old)
  }

  func remove(at index: Int) throws(StorageError) {
    let old = try parts.code(at: index)
    let composite = try IntegerNode.remove(
      at: index, from: try slot(MixedSlot.composite), allocator)
    outer.store(composite.slot, at: MixedSlot.composite)
    let salts = try slot(MixedSlot.salts)
    if !salts.isNull {
      outer.store(
        try IntegerNode.remove(at: index, from: salts, allocator).slot, at: MixedSlot.salts)
    }
    try removePayload(of: old)
  }

  /// Appends elements of another leaf with their salts; collections change hands.
  func append(elements: Range<Int>, of other: Ref) throws(StorageError) {
    let source = try MixedParts(other, in: allocator.space)
    var position = try parts.count
    for index in elements {
      let value = try source.value(of: try source.code(at: index))
      try insert(value, salt: try source.salt(at: index), at: position)
      position += 1
    }
  }

  private func setCode(_ code: MixedCode, at index: Int) throws(StorageError) {
    let composite = try IntegerNode.set(
      code.bits, at: index, in: try slot(MixedSlot.composite), allocator)
    outer.store(composite.slot, at: MixedSlot.composite)
  }

  // MARK: Payload

  /// Adds the payload of a value, if it needs any.
  private func store(_ value: MixedValue) throws(StorageError) -> MixedCode {
    switch value {
    case .null: return .null
    case .bool(let truth): return MixedCode(.bool, inline: truth ? 1 : 0)
    case .int(let number):
      guard Int64(Int32(truncatingIfNeeded: number)) == number else {
        return try storeInteger(number, .int)
      }
      return MixedCode(.int, inline: number)
    case .float(let number): return try storeInteger(Int64(number.bitPattern), .float)
    case .double(let number):
      return try storeInteger(Int64(bitPattern: number.bitPattern), .double)
    case .string(let bytes): return try storeBytes(bytes, .string)
    case .binary(let bytes): return try storeBytes(bytes, .binary)
    case .objectId(let id): return try storeBytes(of: id, .objectId)
    case .uuid(let id): return try storeBytes(of: id, .uuid)
    case .timestamp(let time):
      return try storePair(time.seconds, Int64(time.nanoseconds), .timestamp)
    case .decimal(let bits):
      return try storePair(
        Int64(bitPattern: bits.low), Int64(bitPattern: bits.high), .decimal)
    case .typedLink(let table, let key): return try storePair(table, key, .typedLink)
    case .list(let root): return try storeRef(root, .list)
    case .dictionary(let root): return try storeRef(root, .dictionary)
    }
  }

  /// The node of a payload slot, made if it is not there yet.
  private func payload(_ slot: MixedSlot, flags: NodeFlags = []) throws(StorageError) -> Ref {
    let ref = try self.slot(slot.rawValue)
    return ref.isNull ? try IntegerNode.make(flags: flags, in: allocator).ref : ref
  }

  private func storeInteger(_ number: Int64, _ type: MixedType) throws(StorageError) -> MixedCode {
    let index = try parts.entryCount(.integers)
    let new = try IntegerNode.append(number, to: try payload(.integers), allocator)
    outer.store(new.slot, at: MixedSlot.integers.rawValue)
    return MixedCode(type, .integers, index: index)
  }

  private func storePair(
    _ first: Int64, _ second: Int64, _ type: MixedType
  ) throws(StorageError) -> MixedCode {
    let index = try parts.entryCount(.pairs)
    var new = try IntegerNode.append(first, to: try payload(.pairs), allocator)
    new = try IntegerNode.append(second, to: new, allocator)
    outer.store(new.slot, at: MixedSlot.pairs.rawValue)
    return MixedCode(type, .pairs, index: index)
  }

  private func storeRef(_ root: Ref, _ type: MixedType) throws(StorageError) -> MixedCode {
    let index = try parts.entryCount(.refs)
    let new = try IntegerNode.append(
      root.slot, to: try payload(.refs, flags: .hasRefs), allocator)
    outer.store(new.slot, at: MixedSlot.refs.rawValue)
    return MixedCode(type, .refs, index: index)
  }

  private func storeBytes(_ bytes: ByteView, _ type: MixedType) throws(StorageError) -> MixedCode {
    let index = try parts.entryCount(.strings)
    let old = try slot(MixedSlot.strings.rawValue)
    let new = try StringLeaf.insert(
      bytes, at: index, in: old.isNull ? try StringLeaf.make(in: allocator) : old, allocator)
    outer.store(new.slot, at: MixedSlot.strings.rawValue)
    return MixedCode(type, .strings, index: index)
  }

  private func storeBytes<Low>(
    of id: FixedBytes<Low>, _ type: MixedType
  ) throws(StorageError) -> MixedCode {
    let room = UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 8)
    defer { unsafe room.deallocate() }
    unsafe id.store(to: room)
    return try unsafe storeBytes(ByteView(start: room, count: FixedBytes<Low>.byteCount), type)
  }

  /// Stores where a collection is now.
  func replaceEntry(_ entry: Int, with root: Ref) throws(StorageError) {
    let refs = try IntegerNode.set(
      root.slot, at: entry, in: try slot(MixedSlot.refs.rawValue), allocator)
    outer.store(refs.slot, at: MixedSlot.refs.rawValue)
  }

  /// Drops the payload entry of an element that no longer names it; the last entry takes its place.
  private func removePayload(of code: MixedCode) throws(StorageError) {
    guard let slot = code.payload else { return }
    let entry = Int(code.value)
    let last = try parts.entryCount(slot) - 1
    guard entry >= 0, entry <= last else {
      throw .corrupted("a mixed value has a payload entry that does not exist")
    }
    let ref = try self.slot(slot.rawValue)
    var new = ref
    switch slot {
    case .integers, .refs:
      if slot == .refs { try allocator.freeTree(try allocator.node(at: ref).ref(at: entry)) }
      let moved = try allocator.node(at: ref).integer(at: last)
      new = try IntegerNode.set(moved, at: entry, in: ref, allocator)
      new = try IntegerNode.remove(at: last, from: new, allocator)
    case .pairs:
      for half in 0..<2 {
        let moved = try allocator.node(at: ref).integer(at: 2 * last + half)
        new = try IntegerNode.set(moved, at: 2 * entry + half, in: new, allocator)
      }
      new = try IntegerNode.remove(at: 2 * last, count: 2, from: new, allocator)
    case .strings:
      if entry != last {
        let moved = try StringLeaf.value(at: last, of: ref, in: allocator.space)
        new = try StringLeaf.set(moved, at: entry, in: ref, allocator)
      }
      new = try StringLeaf.remove(at: last, from: new, allocator)
    }
    outer.store(new.slot, at: slot.rawValue)
    if entry != last { try readdress(slot, from: last, to: entry) }
  }

  /// Stores the present index of a payload entry in its owner.
  private func readdress(_ slot: MixedSlot, from last: Int, to entry: Int) throws(StorageError) {
    let parts = try parts
    for index in 0..<parts.count {
      let code = try parts.code(at: index)
      guard code.payload == slot, code.value == last, let type = code.type else { continue }
      return try setCode(MixedCode(type, slot, index: entry), at: index)
    }
    throw .corrupted("a payload entry of a mixed leaf belongs to no element")
  }

  // MARK: Salts

  /// A number that distinguishes a nested collection from all others of the leaf, and, being random
  /// of 31 bits, in all likelihood from those of other leaves of the same tree.
  private func freshSalt() throws(StorageError) -> Int64 {
    let parts = try parts
    while true {
      let salt = Int64.random(in: 1...Int64(Int32.max))
      if try parts.position(ofSalt: salt) == nil { return salt }
    }
  }

  /// Makes the salts of a leaf whose elements have none yet.
  private func makeSalts(count: Int) throws(StorageError) -> Ref {
    try IntegerNode.make([Int64](repeating: 0, count: count), in: allocator).ref
  }

  /// Makes the salts, if there are any, as many as the elements.
  ///
  /// Realm Core leaves trailing zeros out, and then writes outside of what it left, or traps, when
  /// it inserts an element after them.
  private func alignSalts() throws(StorageError) {
    var salts = try slot(MixedSlot.salts)
    guard !salts.isNull else { return }
    let count = try IntegerNode.checked(salts, in: allocator.space).count
    let wanted = try parts.count
    guard count != wanted else { return }
    for _ in count..<max(count, wanted) {
      salts = try IntegerNode.append(0, to: salts, allocator)
    }
    if count > wanted {
      salts = try IntegerNode.remove(at: wanted, count: count - wanted, from: salts, allocator)
    }
    outer.store(salts.slot, at: MixedSlot.salts)
  }

  func setSalt(_ salt: Int64, at index: Int) throws(StorageError) {
    var salts = try slot(MixedSlot.salts)
    guard salt != 0 || !salts.isNull else { return }
    if salts.isNull { salts = try makeSalts(count: try parts.count) }
    salts = try IntegerNode.set(salt, at: index, in: salts, allocator)
    outer.store(salts.slot, at: MixedSlot.salts)
  }
}

extension MixedValue {
  /// Whether the element owns a tree.
  package var isCollection: Bool {
    switch self {
    case .list, .dictionary: true
    default: false
    }
  }

  /// Whether both are collections of the same kind with the same root.
  fileprivate func isSameTree(as other: MixedValue) -> Bool {
    switch (self, other) {
    case (.list(let left), .list(let right)): left == right
    case (.dictionary(let left), .dictionary(let right)): left == right
    default: false
    }
  }

  /// The bytes of a string or binary.
  fileprivate var bytes: ByteView? {
    switch self {
    case .string(let bytes), .binary(let bytes): bytes
    default: nil
    }
  }

  /// The same type of value with other bytes.
  fileprivate func replacingBytes(by copy: ByteView) -> MixedValue {
    switch self {
    case .string: .string(copy)
    case .binary: .binary(copy)
    default: self
    }
  }
}
