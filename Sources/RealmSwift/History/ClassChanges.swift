// SPDX-License-Identifier: Apache-2.0

// The changes of the objects of one class between two versions.

/// The objects of a class that came, changed and went between two versions of a file.
///
/// A reader that repeats the changes elsewhere handles deletions first: an object may have been
/// deleted, and created again with the same primary key; it is in both lists then.
public struct ClassChanges<Model: Object>: Sendable {
  /// An object that both versions have, with what changed.
  public struct Modification: Sendable, Hashable {
    /// The object.
    public let id: PersistentID<Model>
    /// The names of the properties that were written, sorted. A property that holds embedded
    /// objects is among them if one of these was written.
    public let propertyNames: [String]
  }

  /// The objects that came.
  public let insertions: [PersistentID<Model>]
  /// The objects that were written to.
  public let modifications: [Modification]
  /// The objects that went.
  public let deletions: [PersistentID<Model>]

  init(_ changes: ObjectChanges) {
    insertions = changes.insertions.map { PersistentID($0) }
    modifications = changes.modifications.map {
      Modification(id: PersistentID($0.identity), propertyNames: $0.propertyNames)
    }
    deletions = changes.deletions.map { PersistentID($0) }
  }

  /// Whether nothing changed.
  public var isEmpty: Bool {
    insertions.isEmpty && modifications.isEmpty && deletions.isEmpty
  }
}
