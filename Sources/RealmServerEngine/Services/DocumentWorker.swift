// SPDX-License-Identifier: Apache-2.0

// The threads of reading calls: uploads do not wait for them.

import RealmFormats
import RealmStorage

/// Carries out reading calls, one after the other.
actor DocumentWorker {
  private nonisolated let thread = ThreadExecutor(named: "realm-documents")

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe thread.asUnownedSerialExecutor()
  }

  /// The result of a call in a version.
  func run(
    _ command: DocumentCommand, in snapshot: RealmSnapshot, _ permissions: SessionPermissions?,
    _ partition: DocumentPartition?, _ work: DocumentWork,
    isDeclared: @escaping @Sendable (String) -> Bool
  ) throws(DocumentError) -> BSONValue {
    var work = work
    return try DocumentReading(
      snapshot.objects, permissions, partition, isDeclared: isDeclared
    ).run(command, &work)
  }

  /// The events of a stream.
  func events(
    _ changes: ViewChanges, in snapshot: RealmSnapshot, of request: WatchRequest,
    _ permissions: SessionPermissions?, _ partition: DocumentPartition?, after token: ChangeToken,
    _ work: DocumentWork
  ) throws(DocumentError) -> [BSONValue] {
    var work = work
    let head = snapshot.head
    let collection = try DocumentReading(snapshot.objects, permissions, partition)
      .collection(request.collection)
    guard let collection else { return [] }
    return try ChangeEvents(
      request: request, collection: collection, before: token,
      after: ChangeToken(version: head.version, salt: head.salt)
    ).events(changes.changes, &work)
  }
}
