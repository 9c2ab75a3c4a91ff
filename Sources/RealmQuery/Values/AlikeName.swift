// SPDX-License-Identifier: Apache-2.0

// The name that a mistyped one was meant to be.

/// Finds names that differ little from a given one.
package enum AlikeName {
  /// The longest names that are compared, in characters: those of classes and properties are
  /// shorter.
  private static let lengthMax = 64

  /// A question with the name that was meant, with a space before it; empty if none is alike.
  package static func hint(for name: String, among names: [String]) -> String {
    closest(to: name, among: names).map { ". Did you mean '\($0)'?" } ?? ""
  }

  /// The name that differs least, in up to two letters (one, in names of up to four), or in
  /// capitals; nil if none is alike.
  package static func closest(to name: String, among names: [String]) -> String? {
    let wanted = Array(name.lowercased())
    guard (1...lengthMax).contains(wanted.count) else { return nil }
    let limit = wanted.count <= 4 ? 1 : 2
    var best: (name: String, distance: Int)?
    for other in names {
      let letters = Array(other.lowercased())
      guard abs(letters.count - wanted.count) <= limit else { continue }
      let distance = distance(wanted, letters)
      if distance <= limit, distance < best?.distance ?? .max { best = (other, distance) }
    }
    return best?.name
  }

  /// How many letters have to be put in, left out, replaced or swapped with the next.
  private static func distance(_ left: [Character], _ right: [Character]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for (row, letter) in left.enumerated() {
      var next = [row + 1]
      next.reserveCapacity(right.count + 1)
      for (column, other) in right.enumerated() {
        var cost = min(
          last[column] + (letter == other ? 0 : 1), last[column + 1] + 1, next[column] + 1)
        if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
          cost = min(cost, beforeLast[column - 1] + 1)
        }
        next.append(cost)
      }
      (beforeLast, last) = (last, next)
    }
    return last[right.count]
  }
}
