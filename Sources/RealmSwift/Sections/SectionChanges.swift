// SPDX-License-Identifier: Apache-2.0

// `SectionChanges`: translates a change of results into a change of their sections.

import Foundation
import RealmQuery

/// A change of sections and their elements.
///
/// Invariants:
/// 1. `deletions`, `modifications` and `sectionsToDelete` are positions in the old state,
///    `insertions` and `sectionsToInsert` in the new one. Deleting elements, then sections, and
///    inserting sections, then elements, makes the new state from the old one.
/// 2. An element whose section is another one now, and a section that moved, are deleted and
///    inserted.
/// 3. Elements are deleted with their section: no deletions are reported for one that is deleted.
/// 4. An element with another value of the order that kept its place is modified if that is all
///    that happened in its section, and else deleted and inserted, as any that may have moved.
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
    let reordered = addKept(from: old, to: new, set, keptSections)
    deletions += set.deletions.filter { $0 < old.count }.map { old.place(of: $0).path }
    deletions.removeAll { sectionsToDelete.contains($0[0]) }
    insertions += set.insertions.filter { $0 < new.count }.map { new.place(of: $0).path }
    move(reordered)
    deletions.sort()
    insertions.sort()
    modifications.sort()
    assert(isAscending, "`SectionChanges` 1")
    assert(
      sectionsToDelete.last ?? -1 < old.keys.count && sectionsToInsert.last ?? -1 < new.keys.count,
      "`SectionChanges` 1: a section of another state")
    assert(!deletions.contains { sectionsToDelete.contains($0[0]) }, "`SectionChanges` 3")
    assert(Set(deletions).isDisjoint(with: modifications), "`SectionChanges` 4")
  }

  /// Whether no position stands twice in a list.
  private var isAscending: Bool {
    [deletions, insertions, modifications].allSatisfy { paths in
      zip(paths, paths.dropFirst()).allSatisfy(<)
    }
  }

  /// Invariant 4 for modified elements, by their old and new paths.
  private mutating func move(_ reordered: [(old: IndexPath, new: IndexPath)]) {
    if reordered.isEmpty { return }
    var changesOfOld: [Int: Int] = [:]
    for path in deletions + modifications { changesOfOld[path[0], default: 0] += 1 }
    let changedNew = Set(insertions.map { $0[0] })
    let moved = reordered.filter {
      changesOfOld[$0.old[0], default: 0] > 1 || changedNew.contains($0.new[0])
    }
    let paths = Set(moved.map(\.old))
    modifications.removeAll(where: paths.contains)
    deletions += moved.map(\.old)
    insertions += moved.map(\.new)
  }

  /// Adds the changes of the elements that both states have: in runs that no change and no border
  /// of a section interrupts. Returns the paths of those with other values of the order.
  private mutating func addKept<Key: Hashable>(
    from old: SectionLayout<Key>, to new: SectionLayout<Key>, _ set: ResultChanges,
    _ keptSections: Set<Key>
  ) -> [(old: IndexPath, new: IndexPath)] {
    var reordered: [(old: IndexPath, new: IndexPath)] = []
    let reorderedIndexes = Set(set.reordered)
    var gone = set.deletions[...]
    var came = set.insertions[...]
    var modified = set.modifications[...]
    var (index, newIndex) = (0, 0)
    while true {
      while gone.first == index {
        gone.removeFirst()
        index += 1
      }
      while came.first == newIndex {
        came.removeFirst()
        newIndex += 1
      }
      guard index < old.count, newIndex < new.count else { return reordered }
      let run = old.runs[old.runIndex(of: index)]
      let newRun = new.runs[new.runIndex(of: newIndex)]
      let length = min(
        min(run.end, gone.first ?? .max) - index,
        min(newRun.end, came.first ?? .max) - newIndex)
      let key = old.keys[run.section]
      let stays = key == new.keys[newRun.section] && keptSections.contains(key)
      while let next = modified.first, next < index + length {
        if stays, next >= index {
          let path = old.place(of: next).path
          modifications.append(path)
          if reorderedIndexes.contains(next) {
            reordered.append((path, new.place(of: newIndex + next - index).path))
          }
        }
        modified.removeFirst()
      }
      if !stays {
        for offset in 0..<length {
          deletions.append(old.place(of: index + offset).path)
          insertions.append(new.place(of: newIndex + offset).path)
        }
      }
      index += length
      newIndex += length
    }
  }

  var isEmpty: Bool { self == SectionChanges() }

  /// The changes of one section, which had position `old` and has position `new`.
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
