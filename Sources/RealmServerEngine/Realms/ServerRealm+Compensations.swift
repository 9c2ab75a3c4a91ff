// SPDX-License-Identifier: Apache-2.0

// Clients whose writes were refused.

import RealmStorage
import RealmSyncProtocol
import RealmTables

extension ServerRealm {
  /// The most compensating writes of a client that it has not acknowledged, and their bytes.
  private static let pendingCountMax = 100
  private static let pendingByteCountMax = 32 << 20

  /// The reports of compensating writes after a version, in the order of their versions.
  func compensations(
    of ident: FileIdentifier, after version: UInt64
  ) async throws(StoreError) -> [CompensatingWriteReport] {
    let changes = try await store.privates(of: ident, after: version)
      .filter { $0.refusal != nil }
    guard !changes.isEmpty else { return [] }
    let newest = try await store.newest()
    let classes = try StoreError.storing(newest.objects.classSchemas())
    let asymmetric = classes.filter { $0.kind == .asymmetric }.map(\.displayName)
    return changes.compactMap { CompensatingWriteReport($0, asymmetric: Set(asymmetric)) }
  }

  /// What becomes of the next writes of a client without the right to write: they are undone,
  /// unless it acknowledges nothing.
  func readersRight(_ ident: FileIdentifier) async throws(StoreError) -> WriteRight {
    var (count, byteCount) = (0, 0)
    for change in try await store.privates(of: ident, after: 0) {
      guard let refusal = change.refusal else { continue }
      count += 1
      byteCount += refusal.byteCount
    }
    return count < Self.pendingCountMax && byteCount < Self.pendingByteCountMax
      ? .compensated : .refused
  }
}
