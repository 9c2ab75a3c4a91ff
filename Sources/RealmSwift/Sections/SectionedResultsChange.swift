// SPDX-License-Identifier: Apache-2.0

// `SectionedResultsChange`: the notifications that observers of sections receive.

public import Foundation

/// A notification to an observer of sections.
///
/// To bring a copy of the old sections up to date: delete elements, then sections; insert sections,
/// then elements; then reload what was modified.
public enum SectionedResultsChange<Collection> {
  /// The first call: the sections have been computed.
  case initial(Collection)

  /// One or more write transactions changed the sections, or objects in them.
  ///
  /// `deletions`, `modifications` and `sectionsToDelete` are positions in the old sections,
  /// `insertions` and `sectionsToInsert` are positions in the new ones. An element that belongs to
  /// another section now is deleted and inserted, and so is one with another value of what the
  /// sections are sorted by, if more happened in its section.
  case update(
    Collection, deletions: [IndexPath], insertions: [IndexPath], modifications: [IndexPath],
    sectionsToInsert: IndexSet, sectionsToDelete: IndexSet)

  init(_ collection: Collection, _ changes: SectionChanges?) {
    self =
      changes.map {
        .update(
          collection, deletions: $0.deletions, insertions: $0.insertions,
          modifications: $0.modifications, sectionsToInsert: $0.sectionsToInsert,
          sectionsToDelete: $0.sectionsToDelete)
      } ?? .initial(collection)
  }
}

/// The old name of `SectionedResultsChange`.
@available(*, deprecated, renamed: "SectionedResultsChange")
public typealias RealmSectionedResultsChange = SectionedResultsChange

/// The old name of `SectionedResultsIterator`.
@available(*, deprecated, renamed: "SectionedResultsIterator")
public typealias RLMSectionedResultsIterator = SectionedResultsIterator

/// The old name of `SectionIterator`.
@available(*, deprecated, renamed: "SectionIterator")
public typealias RLMSectionIterator = SectionIterator
