// SPDX-License-Identifier: Apache-2.0

// The threads of reading calls, and of the searches of calls that write: uploads do not wait for
// them.

#if Server
import RealmFormats
import RealmServerEngine
import RealmStorage
import RealmSyncProtocol

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

  /// What a call changes in a version; nil if the realm has no such class yet.
  func draft(
    _ call: DocumentCall, in snapshot: RealmSnapshot, now: OriginTimestamp
  ) throws(DocumentError) -> DocumentDraft? {
    let name = call.command.collection
    let collection = try DocumentCollection(
      name, in: snapshot.objects, call.rights.permissions?[name], call.partition)
    guard let collection else { return nil }
    var edit = DocumentEdit(collection, now: now, call.work, identifiers: call.identifiers)
    let result = try edit.run(call.command)
    return DocumentDraft(
      version: snapshot.head.version, result: result, changeset: edit.changeset,
      changedCount: edit.changedCount, objects: edit.found.union(edit.made),
      query: call.command.exclusiveQuery(foundCount: edit.found.count))
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
#endif
