// SPDX-License-Identifier: Apache-2.0

// Leaves of table and column names: short strings, of which null is the empty one (file format
// 4.4.1).

package import RealmStorage

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Reading and editing the leaves that hold the names of tables and of columns.
///
/// Cells of `width` bytes hold the bytes, zero padding, and in the last byte the number of padding
/// bytes. Unlike in data leaves, width 0 means that every name is empty, and so does the width in
/// the last byte, which is null there: Realm Core has it for tables that it removed.
package enum NameLeaf {
  /// The longest name in UTF-8 bytes.
  package static let maximumByteCount = 63

  /// The bytes of name `index`, which stay valid as long as the node.
  package static func bytes(
    at index: Int, of node: Node
  ) throws(StorageError) -> UnsafeRawBufferPointer {
    guard index >= 0, index < node.count, node.header.layout == .multiply, !node.header.hasRefs
    else { throw .corrupted("name \(index) was asked of a leaf of \(node.count) names") }
    let width = node.header.width
    guard width > 0 else { return unsafe UnsafeRawBufferPointer(start: nil, count: 0) }
    let cell = unsafe node.payload + index * width
    let padding = unsafe Int(cell.load(fromByteOffset: width - 1, as: UInt8.self))
    guard padding <= width else { throw .corrupted("a name's padding exceeds its cell") }
    return unsafe UnsafeRawBufferPointer(start: cell, count: max(0, width - 1 - padding))
  }

  /// Name `index`.
  package static func name(at index: Int, of node: Node) throws(StorageError) -> String {
    unsafe String(decoding: try bytes(at: index, of: node), as: UTF8.self)
  }

  /// The position of `name`.
  package static func index(of name: String, in node: Node) throws(StorageError) -> Int? {
    var name = name
    name.makeContiguousUTF8()
    let count = name.utf8.count
    for index in 0..<node.count {
      let bytes = try unsafe bytes(at: index, of: node)
      guard bytes.count == count else { continue }
      let isSame = unsafe name.utf8.withContiguousStorageIfAvailable { text in
        guard let first = bytes.baseAddress, let second = text.baseAddress else { return true }
        return unsafe memcmp(first, second, count) == 0
      }
      if isSame == true { return index }
    }
    return nil
  }

  /// A new leaf of `names`, each of at most 63 bytes.
  package static func make(
    _ names: [String], in allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let longest = names.map(\.utf8.count).max() ?? 0
    guard longest <= maximumByteCount else {
      throw .limitExceeded("Names of tables and columns are limited to 63 bytes")
    }
    let width =
      longest == 0 ? 0 : [1, 2, 4, 8, 16, 32, 64].first { $0 > longest } ?? maximumByteCount + 1
    let header = NodeHeader(
      flags: [], layout: .multiply, widthCode: NodeHeader.widthCode(of: width), count: names.count)
    let node = try allocator.allocate(header, capacity: names.count * width)
    guard width > 0 else { return node.ref }
    for (index, name) in names.enumerated() {
      let cell = unsafe UnsafeMutableRawBufferPointer(
        start: node.payload + index * width, count: width)
      unsafe cell.initializeMemory(as: UInt8.self, repeating: 0)
      unsafe cell.copyBytes(from: name.utf8)
      unsafe cell[width - 1] = UInt8(width - 1 - name.utf8.count)
    }
    return node.ref
  }
}
