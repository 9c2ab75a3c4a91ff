// SPDX-License-Identifier: Apache-2.0

// The cipher of libcrypto.
//
// 1. A context is used by one thread at a time, and for one direction: it holds the key in the form
//    that the direction needs, so a page costs no allocation and no look-up in the library.
// 2. There are as many contexts as threads that ever used the cipher at the same time.

#if !canImport(CommonCrypto)
/// AES-256-CBC of libcrypto with one key.
final class LibcryptoCipher: BlockCipher {
  /// `EVP_CIPHER_CTX`.
  @safe
  private struct Context {
    let pointer: OpaquePointer
  }

  private let library: Libcrypto
  private let key: EncryptionKey
  private let idleEncryptors = Locked<[Context]>([])
  private let idleDecryptors = Locked<[Context]>([])

  /// Makes the contexts of one thread, so that a library that refuses the cipher is found out here.
  init(_ key: EncryptionKey, _ library: Libcrypto) throws(CipherFailure) {
    self.library = library
    self.key = key
    for direction in [CipherDirection.encryption, .decryption] {
      give(try makeContext(direction), direction)
    }
  }

  deinit {
    // The library clears the memory of a context.
    for idle in [idleEncryptors, idleDecryptors] {
      for context in idle.withLock({ $0 }) { unsafe library.freeContext(context.pointer) }
    }
  }

  func crypt(
    _ bytes: UnsafeMutableRawPointer, count: Int, vector: CipherVector,
    _ direction: CipherDirection
  ) throws(CipherFailure) {
    let context = try take(direction)
    defer { give(context, direction) }
    var moved: Int32 = 0
    let isBegun = unsafe withUnsafeBytes(of: vector) { vector in
      unsafe library.begin(context.pointer, nil, nil, nil, vector.baseAddress, -1) == 1
    }
    guard isBegun, unsafe library.update(context.pointer, bytes, &moved, bytes, Int32(count)) == 1,
      moved == count
    else { throw CipherFailure(reason: "libcrypto refuses to \(direction.verb) a page.") }
  }

  // MARK: Contexts

  private func idle(_ direction: CipherDirection) -> Locked<[Context]> {
    switch direction {
    case .encryption: idleEncryptors
    case .decryption: idleDecryptors
    }
  }

  /// How many contexts of a direction no thread uses now.
  func idleCount(_ direction: CipherDirection) -> Int { idle(direction).withLock { $0.count } }

  private func take(_ direction: CipherDirection) throws(CipherFailure) -> Context {
    if let context = idle(direction).withLock({ $0.popLast() }) { return context }
    return try makeContext(direction)
  }

  private func give(_ context: Context, _ direction: CipherDirection) {
    idle(direction).withLock { $0.append(context) }
  }

  /// A context with cipher and key.
  private func makeContext(_ direction: CipherDirection) throws(CipherFailure) -> Context {
    guard let cipher = unsafe library.aes256CBC(), let context = unsafe library.makeContext() else {
      throw Libcrypto.unavailable("the libcrypto of this system has no AES-256-CBC")
    }
    let encrypts: Int32 = direction == .encryption ? 1 : 0
    guard
      unsafe library.begin(context, cipher, nil, key.cipherKey.baseAddress, nil, encrypts) == 1,
      unsafe library.setPadding(context, 0) == 1
    else {
      unsafe library.freeContext(context)
      throw Libcrypto.unavailable("the libcrypto of this system refuses AES-256-CBC")
    }
    return unsafe Context(pointer: context)
  }
}

extension CipherDirection {
  fileprivate var verb: String {
    switch self {
    case .encryption: "encrypt"
    case .decryption: "decrypt"
    }
  }
}
#endif
