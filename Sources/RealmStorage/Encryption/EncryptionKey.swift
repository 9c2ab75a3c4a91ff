// SPDX-License-Identifier: Apache-2.0

// The secret of an encrypted database.

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A key of 64 bytes: 32 for the cipher, 32 for the authentication codes.
///
/// Its memory is cleared with the last reference.
@safe
package final class EncryptionKey: Sendable {
  /// How long a key is.
  package static let byteCount = 64
  static let cipherKeyByteCount = 32

  // Written in the initialiser and in the deinitialiser only.
  private nonisolated(unsafe) let memory: UnsafeMutableRawBufferPointer

  /// A key of exactly 64 bytes; nil for any other number.
  package init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == Self.byteCount else { return nil }
    unsafe memory = .allocate(byteCount: Self.byteCount, alignment: 8)
    unsafe memory.copyBytes(from: bytes)
  }

  deinit {
    // A plain memset before the memory is freed may be left out by the compiler.
    #if canImport(Darwin)
    unsafe memset_s(memory.baseAddress, memory.count, 0, memory.count)
    #else
    if let address = unsafe memory.baseAddress { unsafe explicit_bzero(address, memory.count) }
    #endif
    unsafe memory.deallocate()
  }

  /// The half of the key that the cipher takes.
  var cipherKey: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(rebasing: memory[..<Self.cipherKeyByteCount])
  }

  /// The half of the key that the authentication codes take.
  var authenticationKey: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(rebasing: memory[Self.cipherKeyByteCount...])
  }
}

extension EncryptionKey: Hashable {
  /// Compares all bytes, wherever the first difference is.
  package static func == (left: EncryptionKey, right: EncryptionKey) -> Bool {
    var difference: UInt8 = 0
    for index in 0..<byteCount { unsafe difference |= left.memory[index] ^ right.memory[index] }
    return difference == 0
  }

  /// A hash must reveal nothing of a key, so all keys have the same one.
  package func hash(into hasher: inout Hasher) { hasher.combine(Self.byteCount) }
}
