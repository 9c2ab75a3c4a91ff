// SPDX-License-Identifier: Apache-2.0

// Arrays whose elements are written where they will stay.

extension Array {
  /// An array of `count` elements of a trivial type, all of which `body` writes.
  ///
  /// The standard library's initializer stores the count of an empty array, too: into the one empty
  /// array that all threads share. Nothing is called or stored for that one here.
  @inlinable
  package init(count: Int, writingAll body: (UnsafeMutableBufferPointer<Element>) -> Void) {
    guard count > 0 else {
      self = []
      return
    }
    unsafe self.init(unsafeUninitializedCapacity: count) { buffer, initializedCount in
      unsafe body(UnsafeMutableBufferPointer(rebasing: buffer[..<count]))
      initializedCount = count
    }
  }
}
