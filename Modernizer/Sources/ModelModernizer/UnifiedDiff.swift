// SPDX-License-Identifier: Apache-2.0

// The difference of two texts, as `diff -u` prints it.

/// A difference of lines with three lines around each change.
enum UnifiedDiff {
  private enum Line {
    case same(String)
    case removed(String)
    case added(String)
  }

  static func text(path: String, old: String, new: String) -> String {
    let left = lines(old)
    let right = lines(new)
    let all = merged(left, right)
    var text = "--- \(path)\n+++ \(path)\n"
    for hunk in hunks(all) { text += header(all, hunk) + all[hunk].map(printed).joined() }
    return text
  }

  private static func lines(_ text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { $0 + "\n" }
  }

  /// Both texts, a line at a time.
  private static func merged(_ left: [String], _ right: [String]) -> [Line] {
    var removed: Set<Int> = []
    var added: Set<Int> = []
    for change in right.difference(from: left) {
      switch change {
      case .remove(let offset, _, _): removed.insert(offset)
      case .insert(let offset, _, _): added.insert(offset)
      }
    }
    var result: [Line] = []
    var (i, j) = (0, 0)
    while i < left.count || j < right.count {
      if removed.contains(i) {
        result.append(.removed(left[i]))
        i += 1
      } else if added.contains(j) {
        result.append(.added(right[j]))
        j += 1
      } else {
        result.append(.same(left[i]))
        i += 1
        j += 1
      }
    }
    return result
  }

  /// The parts of both texts that are printed.
  private static func hunks(_ lines: [Line]) -> [Range<Int>] {
    var hunks: [Range<Int>] = []
    for (index, line) in lines.enumerated() {
      if case .same = line { continue }
      let part = max(index - 3, 0)..<min(index + 4, lines.count)
      if let last = hunks.last, part.lowerBound <= last.upperBound {
        hunks[hunks.count - 1] = last.lowerBound..<part.upperBound
      } else {
        hunks.append(part)
      }
    }
    return hunks
  }

  private static func header(_ lines: [Line], _ hunk: Range<Int>) -> String {
    let (oldStart, newStart) = counts(lines[..<hunk.lowerBound])
    let (old, new) = counts(lines[hunk])
    return "@@ -\(oldStart + 1),\(old) +\(newStart + 1),\(new) @@\n"
  }

  private static func counts(_ lines: ArraySlice<Line>) -> (old: Int, new: Int) {
    lines.reduce(into: (0, 0)) { counts, line in
      switch line {
      case .same: counts = (counts.0 + 1, counts.1 + 1)
      case .removed: counts.0 += 1
      case .added: counts.1 += 1
      }
    }
  }

  private static func printed(_ line: Line) -> String {
    switch line {
    case .same(let text): " " + text
    case .removed(let text): "-" + text
    case .added(let text): "+" + text
    }
  }
}
