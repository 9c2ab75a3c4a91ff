// SPDX-License-Identifier: Apache-2.0

// Reads of an object whose row is current: from a leaf that is open, or by way of its cluster.

import RealmSession
public import RealmStorage
public import RealmTables

extension ObjectBase {
  /// Where the value of a property lies, if a loop has come to the object's cluster.
  @inlinable @inline(__always)
  final func _loopLeaf(_ slot: _ColumnSlot) -> _WalkedLeaf? {
    let hot = unsafe _hot.unsafelyUnwrapped
    // Accessors read only after they made the row current.
    let row = unsafe _row.unsafelyUnwrapped
    guard unsafe hot.pointee.loopCluster == row.cluster.address,
      unsafe hot.pointee.loopGeneration == _generation,
      let leaves = unsafe hot.pointee.loopLeaves
    else { return nil }
    return unsafe _WalkedLeaf(
      leaves[Int(truncatingIfNeeded: slot.property)].leaf, at: row.index)
  }

  /// Reads a property of type Int.
  @inlinable @inline(__always)
  final func _readInt(_ slot: _ColumnSlot) -> Int64 {
    if let loop = _loopLeaf(slot) {
      if let number = loop.leaf.integer(at: loop.index) { return number }
      _openLoopLeaf(slot, .int)
    }
    let row = unsafe _row.unsafelyUnwrapped
    return _reading(self, slot, try row.int(slot.leaf), else: 0)
  }

  /// Reads an optional property of type Int.
  @inlinable @inline(__always)
  final func _readOptionalInt(_ slot: _ColumnSlot) -> Int64? {
    if let loop = _loopLeaf(slot) {
      if let number = loop.leaf.optionalInteger(at: loop.index) { return number }
      _openLoopLeaf(slot, .nullableInt)
    }
    let row = unsafe _row.unsafelyUnwrapped
    return _reading(self, slot, try row.optionalInt(slot.leaf), else: nil)
  }

  /// Reads a property of type Bool.
  @inlinable @inline(__always)
  final func _readBool(_ slot: _ColumnSlot) -> Bool {
    if let loop = _loopLeaf(slot) {
      if let number = loop.leaf.integer(at: loop.index) { return number == 1 }
      _openLoopLeaf(slot, .bool)
    }
    let row = unsafe _row.unsafelyUnwrapped
    return _reading(self, slot, try row.bool(slot.leaf), else: false)
  }

  /// Reads an optional property of type Bool.
  @inlinable @inline(__always)
  final func _readOptionalBool(_ slot: _ColumnSlot) -> Bool? {
    if let loop = _loopLeaf(slot) {
      if let number = loop.leaf.integer(at: loop.index) { return number == 3 ? nil : number == 1 }
      _openLoopLeaf(slot, .bool)
    }
    let row = unsafe _row.unsafelyUnwrapped
    return _reading(self, slot, try row.optionalBool(slot.leaf), else: nil)
  }

  /// Reads a property of type Double.
  @inlinable @inline(__always)
  final func _readDouble(_ slot: _ColumnSlot) -> Double {
    if let loop = _loopLeaf(slot) {
      if let number = loop.leaf.double(at: loop.index) { return number }
      _openLoopLeaf(slot, .double)
    }
    let row = unsafe _row.unsafelyUnwrapped
    return _reading(self, slot, try row.double(slot.leaf), else: 0)
  }

  /// Reads an optional property of type Double.
  @inlinable @inline(__always)
  final func _readOptionalDouble(_ slot: _ColumnSlot) -> Double? {
    if let loop = _loopLeaf(slot) {
      if let number = loop.leaf.optionalDouble(at: loop.index) { return number }
      _openLoopLeaf(slot, .double)
    }
    let row = unsafe _row.unsafelyUnwrapped
    return _reading(self, slot, try row.optionalDouble(slot.leaf), else: nil)
  }

  /// Reads a property of type Float.
  @inlinable @inline(__always)
  final func _readFloat(_ slot: _ColumnSlot) -> Float {
    if let loop = _loopLeaf(slot) {
      if let number = loop.leaf.float(at: loop.index) { return number }
      _openLoopLeaf(slot, .float)
    }
    let row = unsafe _row.unsafelyUnwrapped
    return _reading(self, slot, try row.float(slot.leaf), else: 0)
  }

  /// Reads an optional property of type Float.
  @inlinable @inline(__always)
  final func _readOptionalFloat(_ slot: _ColumnSlot) -> Float? {
    if let loop = _loopLeaf(slot) {
      if let number = loop.leaf.optionalFloat(at: loop.index) { return number }
      _openLoopLeaf(slot, .float)
    }
    let row = unsafe _row.unsafelyUnwrapped
    return _reading(self, slot, try row.optionalFloat(slot.leaf), else: nil)
  }

  /// Reads a property of type String; nil for null.
  @usableFromInline @inline(never)
  final func _readString(_ slot: _ColumnSlot) -> String? {
    let hot = unsafe _hot.unsafelyUnwrapped
    if unsafe hot.pointee.loopCluster == _row.unsafelyUnwrapped.cluster.address,
      unsafe hot.pointee.loopGeneration == _generation,
      let leaves = unsafe hot.pointee.loopLeaves
    {
      let index = unsafe _row.unsafelyUnwrapped.index
      let place = unsafe leaves + Int(truncatingIfNeeded: slot.property)
      if let strings = unsafe place.pointee.strings {
        return _reading(self, slot, try strings.bytes(at: index)?.string, else: nil)
      }
      _openLoopLeaf(slot, .string)
    }
    let row = unsafe _row.unsafelyUnwrapped
    return _reading(self, slot, try row.string(slot.leaf), else: nil)
  }

  /// Opens the leaf of a property in the cluster that a loop has come to, at its first read.
  @usableFromInline @inline(never)
  final func _openLoopLeaf(_ slot: _ColumnSlot, _ kind: LeafKind) {
    guard let leaves = unsafe _hot.unsafelyUnwrapped.pointee.loopLeaves else { return }
    let place = unsafe leaves + Int(truncatingIfNeeded: slot.property)
    guard unsafe place.pointee.isClosed else { return }
    // A leaf that cannot be opened is none: the read itself finds what is wrong with it.
    try? unsafe place.pointee.open(_row.unsafelyUnwrapped, slot.leaf, kind)
  }
}

extension ClassInfo {
  /// Notes that a loop comes to the rows of a cluster, in the version shown at `generation`.
  func loop(over cluster: Node, at generation: UInt64) {
    // Many threads read a frozen realm.
    if unsafe core.isFrozen { return }
    let count = steps.count
    let leaves = unsafe hot.pointee.loopLeaves ?? .allocate(capacity: count)
    unsafe leaves.initialize(repeating: LoopLeaf(closedIn: cluster), count: count)
    unsafe hot.pointee.loopLeaves = unsafe leaves
    unsafe hot.pointee.loopCluster = unsafe cluster.address
    unsafe hot.pointee.loopGeneration = generation
  }
}
