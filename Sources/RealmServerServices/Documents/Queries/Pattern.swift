// SPDX-License-Identifier: Apache-2.0

// The regular expressions of `$regex`.
//
// Any user may send one. So the steps of a match are at most those of the program times the
// characters of the text: all ways through the program are followed together, none is tried again.

#if Server
/// A regular expression.
struct Pattern: Hashable, Sendable {
  private let steps: [PatternStep]

  init(_ pattern: String, options: String = "") throws(DocumentError) {
    steps = try PatternParser.program(pattern, options: options)
  }

  /// Whether a part of a text matches.
  func matches(_ text: String, _ work: inout DocumentWork) throws(DocumentError) -> Bool {
    var threads = Threads(count: steps.count)
    var next = Threads(count: steps.count)
    var rest = text.unicodeScalars.makeIterator()
    var place = Place(current: rest.next()?.value, next: rest.next()?.value)
    while true {
      if add(0, to: &threads, place) { return true }
      try work.spend(1 + steps.count / 16)
      guard let scalar = place.current else { return false }
      let following = Place(before: scalar, current: place.next, next: rest.next()?.value)
      next.removeAll()
      for index in threads.list {
        let isTaken =
          switch steps[index] {
          case .any: true
          case .one(let set): set.contains(scalar)
          default: false
          }
        if isTaken, add(index + 1, to: &next, following) { return true }
      }
      swap(&threads, &next)
      place = following
    }
  }

  /// A place in a text, by the characters around it: a copy of all would be four times as large.
  private struct Place {
    var before: UInt32?
    let current: UInt32?
    let next: UInt32?
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
    _ start: Int, to threads: inout Threads, _ place: Place
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
      case .start: if place.before == nil { waiting.append(index + 1) }
      case .end:
        let isLast = place.current == nil
        let isBeforeLast = place.current == 0x0A && place.next == nil
        if isLast || isBeforeLast { waiting.append(index + 1) }
      case .lineStart:
        if place.before == nil || place.before == 0x0A { waiting.append(index + 1) }
      case .lineEnd:
        if place.current == nil || place.current == 0x0A { waiting.append(index + 1) }
      case .boundary(let isNegated):
        let before = place.before.map(PatternSet.words.contains) ?? false
        let after = place.current.map(PatternSet.words.contains) ?? false
        if (before != after) != isNegated { waiting.append(index + 1) }
      }
    }
    return false
  }
}
#endif
