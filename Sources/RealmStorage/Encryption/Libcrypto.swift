// SPDX-License-Identifier: Apache-2.0

// OpenSSL's libcrypto, as the system has it.
//
// The library is loaded when the first encrypted file is opened (`SystemLibrary`).

#if !canImport(CommonCrypto)
/// The functions of libcrypto for a cipher, with the types of its header `evp.h`.
///
/// They are the same in OpenSSL 1.1, 3 and 4, and in the libraries that stem from it.
@safe
struct Libcrypto: Sendable {
  /// The state of a cipher, `EVP_CIPHER_CTX *`.
  typealias Context = OpaquePointer

  let aes256CBC: @convention(c) () -> OpaquePointer?
  let makeContext: @convention(c) () -> Context?
  let freeContext: @convention(c) (Context) -> Void
  /// Context, cipher, engine, key, initialisation vector, and whether to encrypt: 1, 0, or -1 for
  /// as before. What is null stays as it was.
  let begin:
    @convention(c) (
      Context, OpaquePointer?, OpaquePointer?, UnsafeRawPointer?, UnsafeRawPointer?, Int32
    ) -> Int32
  let setPadding: @convention(c) (Context, Int32) -> Int32
  /// Context, output, its length, input, its length.
  let update:
    @convention(c) (
      Context, UnsafeMutableRawPointer, UnsafeMutablePointer<Int32>, UnsafeRawPointer, Int32
    ) -> Int32

  /// The library under its usual names, loaded at the first call; or why there is none.
  private static let usual = Result { () throws(CipherFailure) in
    // The last name is that of other libraries with these functions, too.
    try Libcrypto(
      names: ["libcrypto.so.3", "libcrypto.so.4", "libcrypto.so.1.1", "libcrypto.so"])
  }

  /// The library that a source names.
  static func found(by source: CipherSource) throws(CipherFailure) -> Libcrypto {
    guard let names = source.names else { return try usual.get() }
    return try Libcrypto(names: names)
  }

  /// The library ends without being told: its functions stay of use to threads that run while the
  /// process exits. Of account only if no one else in the process has used the library before.
  private static let withoutExitHandler: UInt64 = 0x0008_0000

  /// Loads the library under the first of some names that is there. It stays loaded.
  private init(names: [String]) throws(CipherFailure) {
    guard let library = SystemLibrary(names) else {
      throw Self.unavailable("no libcrypto of OpenSSL 3 or 1.1 was found on this system")
    }
    func function<F>(_ name: String) throws(CipherFailure) -> F {
      guard let function: F = unsafe library.function(name) else {
        throw Self.unavailable("the libcrypto of this system has no function \(name)")
      }
      return function
    }
    let initialise: @convention(c) (UInt64, OpaquePointer?) -> Int32 =
      try unsafe function("OPENSSL_init_crypto")
    unsafe aes256CBC = try function("EVP_aes_256_cbc")
    unsafe makeContext = try function("EVP_CIPHER_CTX_new")
    unsafe freeContext = try function("EVP_CIPHER_CTX_free")
    unsafe begin = try function("EVP_CipherInit_ex")
    unsafe setPadding = try function("EVP_CIPHER_CTX_set_padding")
    unsafe update = try function("EVP_CipherUpdate")
    guard initialise(Self.withoutExitHandler, nil) == 1 else {
      throw Self.unavailable("the libcrypto of this system does not start")
    }
  }

  /// A failure with its remedy.
  static func unavailable(_ cause: String) -> CipherFailure {
    CipherFailure(
      reason: "\(cause). Install it (Debian and Ubuntu: libssl3, Fedora: openssl-libs, Alpine: "
        + "libcrypto3), or build the program with the trait Encryption of the package OpenRealm, "
        + "which brings a cipher along.")
  }
}
#endif
