// SPDX-License-Identifier: Apache-2.0

// The regular expressions of `$regex`.
//
// Any user may send one. So the steps of a match are at most those of the program times the
// characters of the text: all ways through the program are followed together, none is tried again.

/// A regular expression.
struct Pattern: Hashable, Sendable {
  private let steps: [PatternStep]

  init(_ pattern: String, options: String = "") throws(DocumentError) {
    steps = try PatternParser.program(pattern, options: options)
  }

  /// Whether a part of a text matches.
  func matches(_ text: String, _ work: inout DocumentWork) throws(DocumentError) -> Bool {
    let scalars = text.unicodeScalars.map(\.value)
    var threads = Threads(count: steps.count)
    var next = Threads(count: steps.count)
    for position in 0...scalars.count {
      if add(0, to: &threads, scalars, position) { return true }
      try work.spend(1 + steps.count / 16)
      guard position < scalars.count else { return false }
      next.removeAll()
      for index in threads.list {
        let isTaken =
          switch steps[index] {
          case .any: true
          case .one(let set): set.contains(scalars[position])
          default: false
          }
        if isTaken, add(index + 1, to: &next, scalars, position + 1) { return true }
      }
      swap(&threads, &next)
    }
    return false
  }

  /// The places in a program that a match has reached.
  private struct Threads {
    var list: [Int] = []
    var isKnown: [Bool]

    init(count: Int) { isKnown = [Bool](repeating: false, count: count) }

    mutating func removeAll() {
      list.removeAll(keepingCapacity: true)
      for index in isKnown.indices { isKnown[index] = false }
    }
  }

  /// Adds a place, and those that follow it without a character.
  ///
  /// - Returns: Whether the end of the program is among them.
  private func add(
    _ start: Int, to threads: inout Threads, _ scalars: [UInt32], _ position: Int
  ) -> Bool {
    var waiting = [start]
    while let index = waiting.popLast() {
      guard !threads.isKnown[index] else { continue }
      threads.isKnown[index] = true
      switch steps[index] {
      case .match: return true
      case .any, .one: threads.list.append(index)
      case .split(let first, let second): waiting += [second, first]
      case .jump(let target): waiting.append(target)
      case .start: if position == 0 { waiting.append(index + 1) }
      case .end:
        let isLast = position == scalars.count
        let isBeforeLast = position == scalars.count - 1 && scalars[position] == 0x0A
        if isLast || isBeforeLast { waiting.append(index + 1) }
      case .lineStart:
        if position == 0 || scalars[position - 1] == 0x0A { waiting.append(index + 1) }
      case .lineEnd:
        if position == scalars.count || scalars[position] == 0x0A { waiting.append(index + 1) }
      case .boundary(let isNegated):
        let before = position > 0 && PatternSet.words.contains(scalars[position - 1])
        let after = position < scalars.count && PatternSet.words.contains(scalars[position])
        if (before != after) != isNegated { waiting.append(index + 1) }
      }
    }
    return false
  }
}
