// SPDX-License-Identifier: Apache-2.0

// What a call changes, as it was found in a version: the search may take long, and no upload waits
// for it. It is carried out in its turn if nothing has happened since that matters.

#if Server
import RealmFormats
import RealmReplication
import RealmServerEngine
import RealmStorage
import RealmSyncProtocol
import RealmTables

/// The result of a call that changes documents, before it is carried out.
struct DocumentDraft: Sendable {
  /// The version that was searched.
  let version: UInt64
  let result: BSONValue
  let changeset: Changeset
  let changedCount: Int
  /// The objects that were found, and those that are made.
  let objects: Set<ObjectIdentity>
  /// The condition that other objects must not have come to fulfil; nil if that does not matter, as
  /// any object that fulfils it is right.
  let query: DocumentQuery?

  /// Whether the result is still right, in a transaction.
  ///
  /// - Parameter changed: The objects that were changed since the version.
  func holds(
    after changed: ChangedObjects, in collection: DocumentCollection, _ work: inout DocumentWork
  ) throws(DocumentError) -> Bool {
    // An erased object is not in links any more.
    if changed.hasErasures, collection.schema.columns.contains(where: \.canLink) { return false }
    for object in changed.objects where object.className == collection.schema.displayName {
      if objects.contains(object) { return false }
      guard let query, case .value(let key) = object.key,
        let found = try collection.key(of: key), let document = try collection.document(of: found)
      else { continue }
      if try query.matches(document, &work) { return false }
    }
    return true
  }
}

/// The objects that some versions have changed.
struct ChangedObjects: Sendable {
  private(set) var objects: Set<ObjectIdentity> = []
  private(set) var hasErasures = false

  /// No object.
  init() {}

  /// Nil if the changes are not only those of objects, or cannot be read.
  init?(_ entries: [StoredEntry]) {
    for entry in entries where !entry.changeset.isEmpty {
      guard let changeset = try? ChangesetParser.parse(entry.changeset) else { return nil }
      for instruction in changeset.instructions {
        guard let object = instruction.object else { return nil }
        if case .eraseObject = instruction { hasErasures = true }
        objects.insert(changeset.identity(of: object))
      }
    }
  }
}

extension DocumentCommand {
  /// Whether the objects that the call changes have to be searched for.
  var searches: Bool {
    guard case .insert = action else { return isWrite }
    return false
  }

  /// Whether the condition names the one object that it is about.
  var namesObject: Bool {
    guard let query = changedQuery else { return false }
    return query.equalities().contains { $0.path.steps == ["_id"] }
  }

  /// The condition of the objects that the call changes; nil for calls that search for none.
  var changedQuery: DocumentQuery? {
    switch action {
    case .delete(let query, _), .update(let query, _, _, _), .findAndUpdate(let query, _, _),
      .findAndDelete(let query, _):
      query
    case .find, .findOne, .count, .aggregate, .insert: nil
    }
  }

  /// The condition that no further object may fulfil, if that many were found.
  func exclusiveQuery(foundCount: Int) -> DocumentQuery? {
    switch action {
    case .delete(let query, let isMany), .update(let query, _, _, let isMany):
      isMany || foundCount == 0 ? query : nil
    case .findAndUpdate(let query, _, let options), .findAndDelete(let query, let options):
      options.sort != nil || foundCount == 0 ? query : nil
    case .find, .findOne, .count, .aggregate, .insert: nil
    }
  }
}
#endif
