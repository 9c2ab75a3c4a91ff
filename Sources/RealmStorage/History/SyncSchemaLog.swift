// SPDX-License-Identifier: Apache-2.0

// The log of a synchronised file's history schema versions: when which library brought it to which.
//
// 1. Nothing is decided by what the log says. One of an unknown form is left as it is.

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Writes the log: four parallel arrays of schema versions, versions of the file, times in seconds
/// since 1970, and names of libraries.
enum SyncSchemaLog {
  private static let library = "OpenRealm"

  /// Adds a line; `slot` is 0 or where the log is.
  ///
  /// - Returns: The slot of the log.
  static func append(
    _ schemaVersion: Int, at version: UInt64, to slot: Int64, _ allocator: NodeAllocator
  ) throws(StorageError) -> Int64 {
    let numbers = [Int64(schemaVersion), Int64(clamping: version), Int64(time(nil))]
    guard slot != 0 else { return try make(numbers, allocator).slot }
    guard let root = Ref(slot: slot), var parts = try parts(of: root, in: allocator.space) else {
      return slot
    }
    for (index, number) in numbers.enumerated() {
      parts[index] = try IntegerNode.append(number, to: parts[index], allocator)
    }
    parts[3] = try appendLibrary(to: parts[3], allocator)
    try allocator.free(root)
    return try IntegerNode.make(parts.map(\.slot), flags: .hasRefs, in: allocator).ref.slot
  }

  private static func make(
    _ numbers: [Int64], _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    var slots: [Int64] = []
    for number in numbers { slots.append(try IntegerNode.make([number], in: allocator).ref.slot) }
    slots.append(try appendLibrary(to: try StringLeaf.make(in: allocator), allocator).slot)
    return try IntegerNode.make(slots, flags: .hasRefs, in: allocator).ref
  }

  private static func appendLibrary(
    to leaf: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let count = try StringLeaf.count(leaf, in: allocator.space)
    return try withView(of: Array(library.utf8)) { view throws(StorageError) in
      try StringLeaf.insert(view, at: count, in: leaf, allocator)
    }
  }

  /// The four arrays; nil if the log has another form.
  private static func parts(of root: Ref, in space: NodeSpace) throws(StorageError) -> [Ref]? {
    let node = try space.node(at: root)
    guard node.header.hasRefs, !node.header.isInner, node.header.layout == .bits, node.count == 4
    else { return nil }
    var parts: [Ref] = []
    for index in 0..<4 {
      guard let part = Ref(slot: node.uncheckedInteger(at: index)) else { return nil }
      parts.append(part)
    }
    for part in parts[..<3] {
      let header = try space.node(at: part).header
      guard header.layout == .bits, !header.hasRefs else { return nil }
    }
    return parts
  }
}
