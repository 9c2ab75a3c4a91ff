// SPDX-License-Identifier: Apache-2.0

// Looking for bytes in bytes.

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

extension ByteView {
  /// Whether `part`, which is not empty, stands somewhere in these bytes.
  package func contains(_ part: ByteView) -> Bool {
    guard part.count > 0, let wanted = unsafe part.bytes.baseAddress,
      var start = unsafe bytes.baseAddress
    else {
      return false
    }
    // The first byte is looked for by the C library's vector code, the rest compared where it is.
    var left = count - part.count + 1
    while left > 0, let found = unsafe memchr(start, Int32(part[0]), left) {
      if unsafe memcmp(found, wanted, part.count) == 0 { return true }
      let next = unsafe UnsafeRawPointer(found) + 1
      unsafe left -= next - start
      unsafe start = unsafe next
    }
    return false
  }
}
