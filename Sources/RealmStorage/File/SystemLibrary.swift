// SPDX-License-Identifier: Apache-2.0

// Libraries of the system that are loaded when they are needed: a build needs no header of them,
// a program that does not use them loads nothing, and updates of the system reach them.

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// A library of the system. It stays loaded.
@safe
package struct SystemLibrary {
  private let handle: UnsafeMutableRawPointer

  /// Loads the library under the first of some names that is there; nil if there is none.
  package init?(_ names: [String]) {
    guard let handle = unsafe names.lazy.compactMap({ unsafe dlopen($0, RTLD_NOW) }).first else {
      return nil
    }
    unsafe self.handle = handle
  }

  /// A C function; nil if the library has none of that name.
  ///
  /// - Precondition: `F` is the type that the library's header gives it, as `@convention(c)`.
  @unsafe package func function<F>(_ name: String, as type: F.Type = F.self) -> F? {
    // Unsafe: `dlsym` knows no types. A symbol of a function is its address, which is what a C
    // function is in Swift, too, and the caller vouches for its type.
    unsafe dlsym(handle, name).map { unsafe unsafeBitCast($0, to: F.self) }
  }
}
