// SPDX-License-Identifier: Apache-2.0

// Which elements of a sorted result make up which section, and what a change of the result is in
// terms of sections.

import Foundation
import RealmQuery

/// The sections of one state of a result.
///
/// Sections stand in the order in which their keys first come up; the elements of each keep theirs.
struct SectionLayout<Key: Hashable> {
  /// Where an element is.
  struct Place {
    let section: Int
    let item: Int

    var path: IndexPath { IndexPath(indexes: [section, item]) }
  }

  private(set) var keys: [Key] = []
  /// By section, the positions of its elements in the result.
  private(set) var members: [[Int]] = []
  /// By position in the result.
  private(set) var places: [Place] = []
  private(set) var indexByKey: [Key: Int] = [:]

  init() {}

  /// The sections of a result whose elements have these keys.
  init(_ elementKeys: some Sequence<Key>) {
    for (position, key) in elementKeys.enumerated() {
      let section: Int
      if let known = indexByKey[key] {
        section = known
      } else {
        section = keys.count
        indexByKey[key] = section
        keys.append(key)
        members.append([])
      }
      places.append(Place(section: section, item: members[section].count))
      members[section].append(position)
    }
  }
}

/// What became of sections and their elements.
///
/// Invariants:
/// 1. `deletions`, `modifications` and `sectionsToDelete` are places of the old state, `insertions`
///    and `sectionsToInsert` of the new one. Deleting elements, then sections, and inserting
///    sections, then elements, makes the new state from the old one.
/// 2. An element whose section is another one now, and a section that moved, are deleted and
///    inserted.
struct SectionChanges: Equatable {
  var deletions: [IndexPath] = []
  var insertions: [IndexPath] = []
  var modifications: [IndexPath] = []
  var sectionsToInsert = IndexSet()
  var sectionsToDelete = IndexSet()

  init() {}

  /// The change from one state to the next; `set` is that of the result.
  init<Key: Hashable>(
    from old: SectionLayout<Key>, to new: SectionLayout<Key>, _ set: ResultChanges
  ) {
    var keptSections: Set<Key> = Set(old.keys)
    for change in new.keys.difference(from: old.keys) {
      switch change {
      case .remove(let offset, let key, _):
        sectionsToDelete.insert(offset)
        keptSections.remove(key)
      case .insert(let offset, let key, _):
        sectionsToInsert.insert(offset)
        keptSections.remove(key)
      }
    }
    let modified = Set(set.modifications)
    var survivors = Self.others(than: set.insertions, below: new.places.count)[...]
    for index in Self.others(than: set.deletions, below: old.places.count) {
      guard let newIndex = survivors.popFirst() else { break }
      let (place, newPlace) = (old.places[index], new.places[newIndex])
      let key = old.keys[place.section]
      if key == new.keys[newPlace.section], keptSections.contains(key) {
        if modified.contains(index) { modifications.append(place.path) }
      } else {
        deletions.append(place.path)
        insertions.append(newPlace.path)
      }
    }
    deletions += set.deletions.filter(old.places.indices.contains).map { old.places[$0].path }
    insertions += set.insertions.filter(new.places.indices.contains).map { new.places[$0].path }
    deletions.sort()
    insertions.sort()
    modifications.sort()
  }

  /// The numbers below `count` that are not in `excluded`, which ascends.
  private static func others(than excluded: [Int], below count: Int) -> [Int] {
    var excluded = excluded[...]
    return (0..<count).filter { index in
      guard excluded.first == index else { return true }
      excluded.removeFirst()
      return false
    }
  }

  var isEmpty: Bool { self == SectionChanges() }

  /// What concerns one section, which had position `old` and has position `new`.
  func ofSection(old: Int?, new: Int?) -> SectionChanges {
    var changes = SectionChanges()
    changes.deletions = deletions.filter { $0[0] == old }
    changes.modifications = modifications.filter { $0[0] == old }
    changes.insertions = insertions.filter { $0[0] == new }
    if let new, sectionsToInsert.contains(new) { changes.sectionsToInsert = [new] }
    if let old, sectionsToDelete.contains(old) { changes.sectionsToDelete = [old] }
    return changes
  }
}
