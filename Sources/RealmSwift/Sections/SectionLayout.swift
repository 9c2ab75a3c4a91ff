// SPDX-License-Identifier: Apache-2.0

// `SectionLayout`: maps positions in sorted results to sections and back.

import Foundation
import RealmStorage

/// The sections of one state of a result.
///
/// Sections are in the order in which their keys first occur; the elements of each keep theirs.
///
/// Invariant: `runs` follow each other without a gap, and neighbors belong to different sections.
/// Where the result is sorted by the key of the sections, there is one for each section.
struct SectionLayout<Key: Hashable> {
  /// The position of an element: its section, and its position in that.
  struct Place {
    let section: Int
    let item: Int

    var path: IndexPath { IndexPath(indexes: [section, item]) }
  }

  /// Neighboring elements of the result that belong to one section.
  struct Run {
    let section: Int
    /// The position of the first in the result.
    let start: Int
    /// The position of the first in the section.
    let item: Int
    fileprivate(set) var count: Int

    var end: Int { start + count }
  }

  private(set) var keys: [Key] = []
  private(set) var indexByKey: [Key: Int] = [:]
  private(set) var runs: [Run] = []
  /// The runs of each section, as indexes of `runs`.
  private var runIndexes: [[Int]] = []
  /// The number of elements of each section.
  private(set) var counts: [Int] = []

  init() {}

  /// The sections of a result whose elements have these keys.
  init(_ elementKeys: some Sequence<Key>) {
    for key in elementKeys { append(key, count: 1) }
  }

  /// The number of elements in all sections.
  var count: Int { runs.last?.end ?? 0 }

  /// The section and position of the element at a position in the result.
  ///
  /// - Complexity: O(log runs).
  func place(of position: Int) -> Place {
    assert(position >= 0 && position < count, "a position outside of all sections")
    let run = runs[runIndex(of: position)]
    return Place(section: run.section, item: run.item + position - run.start)
  }

  func runIndex(of position: Int) -> Int {
    return (0..<runs.count).partitionPoint { runs[$0].end <= position }
  }

  /// The position in the result of an element of a section.
  func position(of item: Int, in section: Int) -> Int {
    assert(item >= 0 && item < counts[section], "an element outside of its section")
    let indexes = runIndexes[section]
    var low = 0
    var high = indexes.count - 1
    while low < high {
      let middle = (low + high + 1) / 2
      if runs[indexes[middle]].item <= item { low = middle } else { high = middle - 1 }
    }
    let run = runs[indexes[low]]
    return run.start + item - run.item
  }

  /// The positions in the result of the elements of a section, in runs.
  func positions(in section: Int) -> [Range<Int>] {
    runIndexes[section].map { runs[$0].start..<runs[$0].end }
  }

  // MARK: - Construction

  private mutating func append(_ key: Key, count: Int) {
    append(section(of: key), count: count)
  }

  private mutating func section(of key: Key) -> Int {
    if let known = indexByKey[key] { return known }
    indexByKey[key] = keys.count
    keys.append(key)
    counts.append(0)
    runIndexes.append([])
    assert(
      keys.count == counts.count && keys.count == runIndexes.count
        && keys.count == indexByKey.count,
      "each section has a key, a count and its runs")
    return keys.count - 1
  }

  private mutating func append(_ section: Int, count: Int) {
    if let last = runs.last, last.section == section {
      runs[runs.count - 1].count += count
    } else {
      runIndexes[section].append(runs.count)
      runs.append(Run(section: section, start: self.count, item: counts[section], count: count))
    }
    counts[section] += count
  }

  /// The sections after a change of the result.
  ///
  /// - Parameters:
  ///   - removed: The positions of the elements that are removed, ascending.
  ///   - arrivals: The positions, ascending, and keys of the elements that are inserted.
  /// - Complexity: O(runs + changes).
  func replacing(removed: [Int], with arrivals: [(position: Int, key: Key)]) -> SectionLayout {
    var result = SectionLayout()
    var removed = removed[...]
    var arrivals = arrivals[...]
    for run in runs {
      var rest = run.count
      while let index = removed.first, index < run.end {
        removed.removeFirst()
        rest -= 1
      }
      result.append(keys[run.section], kept: rest, &arrivals)
    }
    assert(removed.isEmpty, "an element is taken out that no section has")
    for arrival in arrivals { result.append(arrival.key, count: 1) }
    return result
  }

  /// Adds elements that stay, with those that are inserted before and between them.
  private mutating func append(
    _ key: Key, kept: Int, _ arrivals: inout ArraySlice<(position: Int, key: Key)>
  ) {
    var rest = kept
    while rest > 0 {
      if let next = arrivals.first, next.position == count {
        append(next.key, count: 1)
        arrivals.removeFirst()
        continue
      }
      let length = min(rest, (arrivals.first?.position ?? .max) - count)
      append(key, count: length)
      rest -= length
    }
  }
}
