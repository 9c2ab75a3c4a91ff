// SPDX-License-Identifier: Apache-2.0

// Calls of the program's blocks of a reset.
//
// 1. Blocks run on a queue of their own, which they may keep waiting.

#if Sync
import Dispatch
import Foundation
import RealmSession
import RealmStorage
import RealmSync
import RealmTables

/// Shows a realm to the program's blocks before and after a reset.
struct ResetBlocks: Sendable {
  typealias Block = @Sendable (Realm) -> Void
  typealias AfterBlock = @Sendable (Realm, Realm) -> Void

  private static let queue = DispatchQueue(label: "OpenRealm resets", attributes: .concurrent)

  let configuration: Realm.Configuration
  let path: String

  private func onQueue(
    _ body: @escaping @Sendable () throws -> Void
  ) async throws(ResetError) {
    let result = await withCheckedContinuation { continuation in
      Self.queue.async { continuation.resume(returning: Result(catching: body)) }
    }
    do { try result.get() } catch {
      throw .opening("The realm of '\(path)' cannot be opened: \(error)")
    }
  }

  /// Calls a block with the realm as it is, frozen.
  func show(_ block: @escaping Block) async throws(ResetError) {
    try await onQueue { block(Realm(core: try RealmOpener(configuration).openFrozen())) }
  }

  /// Calls a block with the realm in another version, frozen, and as it is, live.
  func show(_ before: Snapshot, _ block: @escaping AfterBlock) async throws(ResetError) {
    try await onQueue {
      let live = try Realm(configuration: configuration)
      let tables = try live.core.shared.tables(of: before)
      let layouts = try RealmOpener.schemas(of: configuration)
        .filter { try tables.key(ofTable: $0.tableName) != nil }
        .map { try tables.layout(of: $0) }
      let old = try RealmCache.frozenCore(configuration, layouts, live.core.shared, tables)
      block(Realm(core: old), live)
    }
  }
}
#endif
