// SPDX-License-Identifier: Apache-2.0

// The state that an IDENT is checked against.
//
// Invariants:
// 1. A client is reset for what the store says, and never for what it does not say, or for what an
//    earlier owner does not know.

import RealmStorage
package import RealmSyncProtocol

extension ServerRealm {
  /// The state that an IDENT message of a user is checked against.
  ///
  /// - Parameter latest: The newest server version ever received by the client.
  /// - Throws: `StoreError.fenced` if another server has become the owner. A client that has its
  ///   versions must not be taken for one of another history.
  package func lookUp(
    _ ident: FileIdentifier, of user: String, latest: UInt64
  ) async throws(StoreError) -> ServerFileLookup {
    let file = try await store.file(ident)
    var head = head
    if latest > head.version { head = try await confirmedHead() }
    return ServerFileLookup(
      file: file?.record(for: user), head: head.latest,
      latestSalt: try await salt(of: latest, in: head))
  }

  /// The newest head of any server.
  ///
  /// - Throws: `StoreError.fenced` if another server has become the owner.
  func confirmedHead() async throws(StoreError) -> RealmHead {
    let newest = try await store.newest().head
    guard newest.epoch == head.epoch else {
      loseOwnership()
      throw .fenced
    }
    return newest
  }

  /// The salt of a version; nil if there is no such version, or no entry of it.
  private func salt(
    of version: UInt64, in head: RealmHead
  ) async throws(StoreError) -> UInt64? {
    if version == head.version { return head.salt }
    guard version > head.base, version < head.version else { return nil }
    do throws(StoreError) {
      return try await entries(in: version..<version + 1).first?.salt
    } catch {
      switch error {
      case .trimmed, .unreadableEntry, .damaged: return nil
      // The store says nothing about the version, so the client must not be reset.
      default: throw error
      }
    }
  }
}
