// SPDX-License-Identifier: Apache-2.0

// The notifications of collections, maps and sections, as far as publishers treat them alike.

#if canImport(Combine) || OpenCombine
/// A notification that has the collection which it is about.
protocol CollectionChange<Subject> {
  associatedtype Subject: ThreadConfined

  /// The collection, and how to make the same notification with its counterpart in another realm;
  /// nil for an error. The second keeps nothing of the first.
  var parts: (subject: Subject, make: (Subject) -> Self)? { get }
}

extension CollectionChange {
  /// The same notification with a frozen collection, which is empty if its object was deleted.
  func frozen() -> Self {
    guard let (subject, make) = parts else { return self }
    if subject.isInvalidated, !subject._definition.isGone { return self }
    return make(subject.freeze())
  }
}

extension RealmCollectionChange: CollectionChange where CollectionType: RealmCollection {
  var parts: (subject: CollectionType, make: (CollectionType) -> Self)? {
    switch self {
    case .initial(let collection): (collection, { .initial($0) })
    case .update(let collection, let deletions, let insertions, let modifications):
      (
        collection,
        {
          .update(
            $0, deletions: deletions, insertions: insertions, modifications: modifications)
        }
      )
    case .error: nil
    }
  }
}

extension RealmMapChange: CollectionChange {
  var parts: (subject: MapType, make: (MapType) -> Self)? {
    switch self {
    case .initial(let map): (map, { .initial($0) })
    case .update(let map, let deletions, let insertions, let modifications):
      (
        map,
        {
          .update(
            $0, deletions: deletions, insertions: insertions, modifications: modifications)
        }
      )
    case .error: nil
    }
  }
}

extension SectionedResultsChange: CollectionChange where Collection: RealmSectionedResult {
  var parts: (subject: Collection, make: (Collection) -> Self)? {
    switch self {
    case .initial(let sections): (sections, { .initial($0) })
    case .update(
      let sections, let deletions, let insertions, let modifications, let inserted, let deleted):
      (
        sections,
        {
          .update(
            $0, deletions: deletions, insertions: insertions, modifications: modifications,
            sectionsToInsert: inserted, sectionsToDelete: deleted)
        }
      )
    }
  }
}
#endif
