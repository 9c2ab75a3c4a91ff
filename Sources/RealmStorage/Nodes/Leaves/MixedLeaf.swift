// SPDX-License-Identifier: Apache-2.0

// Values of any type, nested collections among them.

/// A leaf of mixed values (file format 4.9).
///
/// ```
/// slot 0   composite: type, and value or index, of each element
/// slots 1...4   payload made when first needed: integers, pairs, strings, refs of collections
/// slot 5   salts of nested collections, made when first needed
/// ```
///
/// Invariants:
/// 1. Every payload entry belongs to exactly one element. An entry that goes is replaced by the
///    last of its node, whose owner is updated.
/// 2. A nested collection has a salt that no other element of the leaf has, and keeps it wherever
///    the element moves; elements that are no collections have none. If a leaf has salts at all,
///    it has one for each element, 0 for those without: Realm Core's own editing relies on it,
///    though it writes fewer. Leaves get the missing ones when they are edited.
/// 3. The element owns its collection: replacing or removing it frees the tree.
///    `replaceCollection` stores the new root of a tree that has merely moved.
package enum MixedLeaf: Leaf {
  package typealias Value = MixedValue

  package static func zero(isNullable: Bool) -> MixedValue { .null }

  package static func make(in allocator: NodeAllocator) throws(StorageError) -> Ref {
    let composite = try IntegerNode.make(in: allocator).ref
    return try IntegerNode.make(
      [composite.slot, 0, 0, 0, 0, 0], flags: .hasRefs, in: allocator
    ).ref
  }

  package static func count(_ ref: Ref, in space: NodeSpace) throws(StorageError) -> Int {
    try MixedParts(ref, in: space).count
  }

  package static func value(
    at index: Int, of ref: Ref, in space: NodeSpace
  ) throws(StorageError) -> MixedValue {
    let parts = try MixedParts(ref, in: space)
    return try parts.value(of: try parts.code(at: index))
  }

  /// The salt of the nested collection at `index`, 0 for other elements.
  package static func salt(
    at index: Int, of ref: Ref, in space: NodeSpace
  ) throws(StorageError) -> Int64 {
    try MixedParts(ref, in: space).salt(at: index)
  }

  /// The position of the element that carries `salt`; nil if there is none.
  package static func position(
    ofSalt salt: Int64, in ref: Ref, _ space: NodeSpace
  ) throws(StorageError) -> Int? {
    try MixedParts(ref, in: space).position(ofSalt: salt)
  }

  /// Gives a nested collection that was taken out the salt back that it had.
  package static func setSalt(
    _ salt: Int64, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let editor = try MixedEditor(ref, allocator)
    try editor.setSalt(salt, at: index)
    return editor.ref
  }

  package static func insert(
    _ value: MixedValue, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let editor = try MixedEditor(ref, allocator)
    try editor.insert(value, at: index)
    return editor.ref
  }

  package static func set(
    _ value: MixedValue, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let editor = try MixedEditor(ref, allocator)
    try editor.set(value, at: index)
    return editor.ref
  }

  /// Stores where the collection at `index` is now, without freeing anything.
  package static func replaceCollection(
    _ root: Ref, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let code = try MixedParts(ref, in: allocator.space).code(at: index)
    guard code.payload == .refs else {
      throw .corrupted("element \(index) of a mixed leaf is not a collection")
    }
    let editor = try MixedEditor(ref, allocator)
    try editor.replaceEntry(Int(code.value), with: root)
    return editor.ref
  }

  package static func remove(
    at index: Int, from ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let editor = try MixedEditor(ref, allocator)
    try editor.remove(at: index)
    return editor.ref
  }

  package static func split(
    _ ref: Ref, at index: Int, _ allocator: NodeAllocator
  ) throws(StorageError) -> (Ref, Ref) {
    let count = try count(ref, in: allocator.space)
    guard index >= 0, index <= count else {
      throw .elementOutOfBounds(index, in: try allocator.node(at: ref))
    }
    // Both halves are made from scratch: taking elements out one by one would look for an owner
    // each time.
    let kept = try MixedEditor(try make(in: allocator), allocator)
    let moved = try MixedEditor(try make(in: allocator), allocator)
    try kept.append(elements: 0..<index, of: ref)
    try moved.append(elements: index..<count, of: ref)
    try freeParts(ref, allocator)
    return (kept.ref, moved.ref)
  }

  package static func append(
    _ other: Ref, to ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let editor = try MixedEditor(ref, allocator)
    try editor.append(elements: 0..<(try count(other, in: allocator.space)), of: other)
    try freeParts(other, allocator)
    return editor.ref
  }

  /// Gives up the nodes of a leaf whose collections have found another owner.
  private static func freeParts(_ ref: Ref, _ allocator: NodeAllocator) throws(StorageError) {
    let parts = try MixedParts(ref, in: allocator.space)
    for slot in 0..<parts.outer.count {
      let part = try parts.ref(in: slot)
      if slot == MixedSlot.refs.rawValue {
        try allocator.free(part)
      } else {
        try allocator.freeTree(part)
      }
    }
    try allocator.free(ref)
  }

  package static func validate(_ ref: Ref, in space: NodeSpace) throws(StorageError) {
    let parts = try MixedParts(ref, in: space)
    var used: [MixedSlot: Set<Int64>] = [:]
    for index in 0..<parts.count {
      let code = try parts.code(at: index)
      _ = try parts.value(of: code)
      guard let slot = code.payload else { continue }
      guard used[slot, default: []].insert(code.value).inserted else {
        throw .corrupted("two mixed values share a payload entry")
      }
    }
    for slot in MixedSlot.allCases where try parts.entryCount(slot) != used[slot]?.count ?? 0 {
      throw .corrupted("a payload entry of a mixed leaf belongs to no element")
    }
    let strings = try parts.ref(in: MixedSlot.strings.rawValue)
    if !strings.isNull { try StringLeaf.validate(strings, in: space) }
    let salts = try parts.ref(in: MixedSlot.salts)
    if !salts.isNull, try IntegerNode.checked(salts, in: space).count > parts.count {
      throw .corrupted("a mixed leaf has more salts than elements")
    }
  }
}
