// SPDX-License-Identifier: Apache-2.0

// Writes on behalf of code that belongs to no actor, one transaction at a time for each file.
//
// Invariants:
// 1. A file has at most one writer at a time; it lives as long as calls use it, and its realm with
//    it.
// 2. Blocks of the program run on the writer's own queue.

import RealmStorage

/// Runs write transactions on one file, in the order in which they were requested.
actor DetachedWriter {
  private nonisolated let queue = QueueExecutor(label: "OpenRealm detached writes")
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.asUnownedSerialExecutor() }

  private static let living = Locked<[Realm.Configuration.Location: WeakWriter]>([:])

  private struct WeakWriter: Sendable {
    weak let writer: DetachedWriter?
  }

  static func of(_ configuration: Realm.Configuration) -> DetachedWriter {
    living.withLock { living in
      if let writer = living[configuration.location]?.writer { return writer }
      living = living.filter { $0.value.writer != nil }
      let writer = DetachedWriter()
      living[configuration.location] = WeakWriter(writer: writer)
      return writer
    }
  }

  /// Runs `block` in a write transaction.
  func write<Result: Sendable>(
    _ configuration: Realm.Configuration, _ block: sending @escaping (Realm) throws -> Result
  ) async throws -> Result {
    let realm = try await Realm(configuration: configuration, actor: self)
    return try await realm.asyncWrite { try block(realm) }
  }
}
