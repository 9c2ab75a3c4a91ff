// SPDX-License-Identifier: Apache-2.0

// Strings and byte arrays as views of their bytes.

public import RealmStorage

extension String {
  /// Calls `body` with the UTF-8 bytes.
  @inlinable @inline(__always)
  package func withByteView<R, E>(_ body: (ByteView) throws(E) -> R) throws(E) -> R {
    var text = self
    let result = text.withUTF8 { bytes -> Result<R, E> in
      do throws(E) {
        return unsafe .success(try body(ByteView(UnsafeRawBufferPointer(bytes))))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}

extension String? {
  /// Calls `body` with the UTF-8 bytes, or with nil.
  @inlinable @inline(__always)
  package func withByteView<R, E>(_ body: (ByteView?) throws(E) -> R) throws(E) -> R {
    guard let self else { return try body(nil) }
    return try self.withByteView { (view) throws(E) in try body(view) }
  }
}

extension [UInt8] {
  /// Calls `body` with the bytes.
  @inlinable @inline(__always)
  package func withByteView<R, E>(_ body: (ByteView) throws(E) -> R) throws(E) -> R {
    let result = unsafe withUnsafeBytes { bytes -> Result<R, E> in
      do throws(E) {
        return unsafe .success(try body(ByteView(bytes)))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}

extension [UInt8] {
  /// Calls `body` with the bytes of a range, which must lie in the array.
  @inlinable @inline(__always)
  package func withByteView<R, E>(
    of range: Range<Int>, _ body: (ByteView) throws(E) -> R
  ) throws(E) -> R {
    try withByteView { (view) throws(E) in
      unsafe try body(ByteView(UnsafeRawBufferPointer(rebasing: view.bytes[range])))
    }
  }

  /// Appends the bytes of a value.
  @inlinable @inline(__always)
  package mutating func append(_ view: ByteView) { unsafe append(contentsOf: view.bytes) }
}

extension BTree where L == StringLeaf {
  /// Inserts a string before element `index`.
  static func insert(
    _ text: String, at index: Int, in root: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try text.withByteView { (bytes) throws(StorageError) in
      try insert(bytes, at: index, in: root, allocator)
    }
  }
}
