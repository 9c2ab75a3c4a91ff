// SPDX-License-Identifier: Apache-2.0

// The ciphers of all libraries against the examples of their standard and against each other, and
// what is said where there is none.

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct CipherTests {
  /// No library has this name.
  private static let nowhere = ["libcrypto-of-no-system.so"]

  /// The system's cipher; in builds with the trait `Encryption` the package's, too.
  private static let sources: [CipherSource] = {
    var sources = [CipherSource(hasSubstitute: false)]
    #if Encryption
    sources.append(CipherSource(names: nowhere))
    #endif
    return sources
  }()

  private func bytes(_ digits: String) -> [UInt8] {
    digits.split(whereSeparator: \.isWhitespace).compactMap { UInt8($0, radix: 16) }
  }

  private func cipher(_ source: CipherSource, key: [UInt8]) throws -> AnyCipher {
    let key = try #require(EncryptionKey(key + [UInt8](repeating: 0, count: 32)))
    return try AnyCipher(key, from: source)
  }

  private func crypt(
    _ bytes: [UInt8], _ cipher: AnyCipher, _ vector: CipherVector, _ direction: CipherDirection
  ) throws -> [UInt8] {
    var bytes = bytes
    try bytes.withUnsafeMutableBytes {
      let address = try #require($0.baseAddress)
      try cipher.crypt(address, count: $0.count, vector: vector, direction)
    }
    return bytes
  }

  /// NIST SP 800-38A, F.2.5 and F.2.6.
  @Test(arguments: sources) func examplesOfTheStandard(_ source: CipherSource) throws {
    let key = bytes(
      """
      60 3d eb 10 15 ca 71 be 2b 73 ae f0 85 7d 77 81
      1f 35 2c 07 3b 61 08 d7 2d 98 10 a3 09 14 df f4
      """)
    let plain = bytes(
      """
      6b c1 be e2 2e 40 9f 96 e9 3d 7e 11 73 93 17 2a
      ae 2d 8a 57 1e 03 ac 9c 9e b7 6f ac 45 af 8e 51
      30 c8 1c 46 a3 5c e4 11 e5 fb c1 19 1a 0a 52 ef
      f6 9f 24 45 df 4f 9b 17 ad 2b 41 7b e6 6c 37 10
      """)
    let encrypted = bytes(
      """
      f5 8c 4c 04 d6 e5 f1 ba 77 9e ab fb 5f 7b fb d6
      9c fc 4e 96 7e db 80 8d 67 9f 77 7b c6 70 2c 7d
      39 f2 33 69 a9 d9 ba cf a5 30 e2 63 04 23 14 61
      b2 eb 05 e2 c3 9b e9 fc da 6c 19 07 8c 6a 9d 1b
      """)
    let vector: CipherVector = [0x0302_0100, 0x0706_0504, 0x0b0a_0908, 0x0f0e_0d0c]
    let cipher = try cipher(source, key: key)
    // Each call begins with its own vector, whatever the one before left.
    for _ in 0..<2 {
      try expectEqual(crypt(plain, cipher, vector, .encryption), encrypted)
      try expectEqual(crypt(encrypted, cipher, vector, .decryption), plain)
    }
  }

  /// `LibcryptoCipher` 1.
  @Test func librariesAndThreadsAgree() async throws {
    var random = SeededGenerator(seed: 7)
    func some(_ count: Int) -> [UInt8] {
      (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    }
    let key = some(32)
    let pages = (0..<12).map { number in
      (some(4096), CipherVector(UInt32(number), .random(in: 0...9, using: &random), 0, 0))
    }
    let ciphers = try Self.sources.map { try cipher($0, key: key) }
    let results = try await withThrowingTaskGroup(of: [[UInt8]].self) { group in
      for cipher in ciphers + ciphers + ciphers {
        group.addTask {
          try pages.map { page, vector in
            let encrypted = try crypt(page, cipher, vector, .encryption)
            try expectEqual(crypt(encrypted, cipher, vector, .decryption), page)
            return encrypted
          }
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    expectEqual(results.count, 3 * ciphers.count)
    expectEqual(Set(results).count, 1)
    expectEqual(Set(results[0]).count, pages.count)
  }

  /// Pages of the substitute are those of the system's library.
  @Test(arguments: sources) func theTestVectorIsWrittenWithEachCipher(
    _ source: CipherSource
  ) throws {
    let system = try SimulatedFileSystem()
    var options = OpenOptions(encryptionKey: try TestKeys.vector())
    options.cipher = source
    let file = try DatabaseFile.open(
      path: system.file.path, options: options, system: system, registry: FileRegistry())
    expectEqual(file.newestVersion, 1)
    let entry = bytes("01 00 00 00 f4 0d 4c 68 3e 49 11 23")
    expectEqual(Array(try system.file.contents().prefix(entry.count)), entry)
  }

  #if !canImport(CommonCrypto)
  @Test(arguments: [
    (nowhere, "no libcrypto of OpenSSL 3 or 1.1 was found"),
    // A library that is there, and is not what is looked for.
    (["libc.so.6", "libc.so"], "has no function OPENSSL_init_crypto"),
  ])
  func aMissingLibraryIsAnErrorWithItsRemedy(_ names: [String], _ cause: String) throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("secret.realm")
    var options = OpenOptions(encryptionKey: try TestKeys.vector())
    _ = try DatabaseFile.open(path: path, options: options)
    options.cipher = CipherSource(names: names, hasSubstitute: false)
    let error = #expect(throws: StorageError.self) {
      try DatabaseFile.open(path: path, options: options)
    }
    guard case .encryptionUnavailable(path, let reason) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    for part in [cause, "libssl3", "openssl-libs", "libcrypto3", "the trait Encryption"] {
      expectTrue(reason.contains(part), "\(reason)")
    }
    options.cipher = .standard
    try expectEqual(DatabaseFile.open(path: path, options: options).newestVersion, 1)
  }

  @Test func aPlainFileNeedsNoLibrary() throws {
    let directory = try TemporaryDirectory()
    var options = OpenOptions()
    options.cipher = CipherSource(names: Self.nowhere, hasSubstitute: false)
    let file = try DatabaseFile.open(path: directory.file("plain.realm"), options: options)
    expectEqual(file.newestVersion, 1)
  }
  #endif
}
