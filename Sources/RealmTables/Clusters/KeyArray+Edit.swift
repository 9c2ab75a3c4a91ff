// SPDX-License-Identifier: Apache-2.0

// Editing the unsigned key arrays of cluster trees.

import RealmStorage

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

extension KeyArray {
  /// A new array of `values`.
  static func make(
    _ values: some Collection<UInt64>, in allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let code = PackedIntegers.unsignedWidthCode(for: values.max() ?? 0)
    let header = NodeHeader(flags: [], layout: .bits, widthCode: code, count: values.count)
    let node = try allocator.allocate(header, capacity: header.payloadByteCount + 16)
    var index = 0
    for value in values {
      node.store(Int64(bitPattern: value), at: index)
      index += 1
    }
    return node.ref
  }

  /// A new array of 0, 1 << shift, 2 << shift, …: what the compact form represents.
  static func make(
    count: Int, shift: UInt64, in allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try make((0..<count).lazy.map { UInt64($0) << shift }, in: allocator)
  }

  static func values(of node: Node) -> [UInt64] {
    (0..<node.count).map { value(at: $0, of: node) }
  }

  /// Inserts `value` before element `index`.
  static func insert(
    _ value: UInt64, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let old = try load(ref, in: allocator.space)
    precondition(index >= 0 && index <= old.count)
    let code = old.header.widthCode
    let elementBytes = old.header.width / 8
    if allocator.isWritable(ref), code >= PackedIntegers.unsignedWidthCode(for: value) {
      let node = allocator.mutableNode(at: ref)
      if (old.count + 1) * elementBytes <= node.capacityByteCount {
        let place = unsafe node.payload + index * elementBytes
        unsafe memmove(place + elementBytes, place, (old.count - index) * elementBytes)
        node.setCount(old.count + 1)
        node.store(Int64(bitPattern: value), at: index)
        return ref
      }
    }
    var all = values(of: old)
    all.insert(value, at: index)
    try allocator.free(ref)
    return try make(all, in: allocator)
  }

  /// Removes the elements of `range`.
  static func remove(
    _ range: Range<Int>, from ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let node = try allocator.makeWritable(ref)
    let count = node.count
    assert(range.upperBound <= count, "keys are removed that the array does not have")
    let elementBytes = node.header.width / 8
    let start = unsafe node.payload + range.lowerBound * elementBytes
    unsafe memmove(
      start, node.payload + range.upperBound * elementBytes,
      (count - range.upperBound) * elementBytes)
    node.setCount(count - range.count)
    return node.ref
  }

  /// Replaces an array by `values`.
  static func replace(
    _ ref: Ref, by values: some Collection<UInt64>, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let new = try make(values, in: allocator)
    try allocator.free(ref)
    return new
  }
}
