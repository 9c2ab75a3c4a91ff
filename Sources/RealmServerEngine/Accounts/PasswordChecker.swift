// SPDX-License-Identifier: Apache-2.0

// Hashing passwords without blocking anybody else.
//
// Invariants:
// 1. Hashes are made on a thread of their own, one at a time, and few wait: each takes long.

import RealmStorage

/// Makes and compares hashes of passwords.
///
/// An actor whose executor is a thread of its own.
package actor PasswordChecker {
  private let hasher: any PasswordHasher
  private nonisolated let thread = ServerThread()
  private nonisolated let waiting = Locked(0)
  private let waitingMax: Int

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe thread.asUnownedSerialExecutor()
  }

  package init(_ hasher: any PasswordHasher, waitingMax: Int = 64) {
    self.hasher = hasher
    self.waitingMax = waitingMax
  }

  /// The hash of a new password.
  nonisolated func stored(
    _ password: String, salt: [UInt8]
  ) async throws(AccountError) -> StoredPassword {
    StoredPassword(salt: salt, hash: try await limited(password, salt: salt))
  }

  /// Whether a password is the stored one. Without a stored one it takes as long, so that the time
  /// does not reveal who has an account.
  nonisolated func matches(
    _ password: String, _ stored: StoredPassword?
  ) async throws(AccountError) -> Bool {
    let salt = stored?.salt ?? Array(repeating: 0, count: 16)
    let hash = try await limited(password, salt: salt)
    guard let stored else { return false }
    return ConstantTime.areEqual(hash, stored.hash)
  }

  private nonisolated func limited(
    _ password: String, salt: [UInt8]
  ) async throws(AccountError) -> [UInt8] {
    let isFree = waiting.withLock { waiting in
      guard waiting < waitingMax else { return false }
      waiting += 1
      return true
    }
    guard isFree else { throw .busy }
    defer { waiting.withLock { $0 -= 1 } }
    return try await hash(Array(password.utf8), salt: salt)
  }

  private func hash(_ password: [UInt8], salt: [UInt8]) throws(AccountError) -> [UInt8] {
    do {
      return try hasher.hash(password, salt: salt)
    } catch {
      throw .store(.unavailable("no hash of a password: \(error)"))
    }
  }
}
