// SPDX-License-Identifier: Apache-2.0

// Copies of borrowed bytes, where what they are borrowed from is about to change.

extension ByteView {
  /// A copy as an array.
  package var array: [UInt8] { unsafe Array(bytes) }

  /// Calls `body` with a view of a copy that lives during the call.
  func withCopy<Result>(
    _ body: (ByteView) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    let copy = UnsafeMutableRawPointer.allocate(byteCount: max(count, 1), alignment: 8)
    defer { unsafe copy.deallocate() }
    if let source = unsafe bytes.baseAddress {
      unsafe copy.copyMemory(from: source, byteCount: count)
    }
    return try unsafe body(ByteView(start: copy, count: count))
  }
}

extension NodeAllocator {
  /// Whether the bytes lie in the slab, so that an edit might move or overwrite them.
  @inline(__always)
  func holds(_ view: ByteView) -> Bool {
    guard let start = unsafe view.bytes.baseAddress else { return false }
    return unsafe start >= space.base + space.slabStart && start < space.base + space.slabEnd
  }

  /// Calls `body` with the value, or with a copy if it lies in the slab.
  @inline(__always)
  package func withOutside<Result>(
    _ value: ByteView?, _ body: (ByteView?) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    guard let value, holds(value) else { return try body(value) }
    return try value.withCopy { (copy) throws(StorageError) in try body(copy) }
  }
}
