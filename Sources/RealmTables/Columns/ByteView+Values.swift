// SPDX-License-Identifier: Apache-2.0

// Strings and byte arrays as views of their bytes, and back.

public import RealmStorage

extension String {
  /// Calls `body` with the UTF-8 bytes.
  @inlinable @inline(__always)
  package func withByteView<R>(
    _ body: (ByteView) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    var text = self
    let result = text.withUTF8 { bytes -> Result<R, StorageError> in
      do throws(StorageError) {
        return .success(try body(ByteView(UnsafeRawBufferPointer(bytes))))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}

extension [UInt8] {
  /// Calls `body` with the bytes.
  @inlinable @inline(__always)
  package func withByteView<R>(
    _ body: (ByteView) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    let result = withUnsafeBytes { bytes -> Result<R, StorageError> in
      do throws(StorageError) {
        return .success(try body(ByteView(bytes)))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}

extension ByteView {
  /// A copy of the bytes.
  package var array: [UInt8] { Array(bytes) }
}
