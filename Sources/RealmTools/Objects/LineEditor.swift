// SPDX-License-Identifier: Apache-2.0

// Editing of a line, without a terminal: the effects of keys.

#if Tools
import Foundation

/// The line in progress, and earlier ones.
package struct LineEditor {
  /// A key, or a terminal's bytes for it.
  package enum Key: Hashable, Sendable {
    case character(Character)
    case enter, backspace, delete, left, right, up, down, home, end, tab
    /// To the beginning of the line, or of the word.
    case eraseLine, eraseWord, eraseRest
    /// The keys for ending the input or giving a line up.
    case endOfInput, interrupt
  }

  /// The effect of a key.
  package enum Outcome: Hashable, Sendable {
    case editing
    case line(String)
    /// Words to choose from.
    case choices([String])
    case abandoned
    case ended
  }

  package private(set) var text: [Character] = []
  /// Where the next character goes.
  package private(set) var cursor = 0
  package private(set) var history: [String]
  /// The shown line of the history; its count for the new one.
  private var position: Int
  private var unfinished: [Character] = []
  private static let historyMax = 1000

  package init(history: [String] = []) {
    self.history = history.suffix(Self.historyMax)
    position = self.history.count
  }

  /// Changes the line as a key says.
  ///
  /// - Parameter completions: The possible words at the end of a text.
  package mutating func press(
    _ key: Key, completions: (String) -> [String] = { _ in [] }
  ) -> Outcome {
    switch key {
    case .character(let character):
      text.insert(character, at: cursor)
      cursor += 1
    case .enter: return finish()
    case .backspace where cursor > 0:
      cursor -= 1
      text.remove(at: cursor)
    case .delete where cursor < text.count: text.remove(at: cursor)
    case .left: cursor = max(cursor - 1, 0)
    case .right: cursor = min(cursor + 1, text.count)
    case .home: cursor = 0
    case .end: cursor = text.count
    case .up: show(position - 1)
    case .down: show(position + 1)
    case .eraseLine:
      text.removeSubrange(..<cursor)
      cursor = 0
    case .eraseRest: text.removeSubrange(cursor...)
    case .eraseWord:
      var start = cursor
      while start > 0, text[start - 1] == " " { start -= 1 }
      while start > 0, text[start - 1] != " " { start -= 1 }
      text.removeSubrange(start..<cursor)
      cursor = start
    case .tab: return complete(completions)
    case .interrupt:
      reset()
      return .abandoned
    case .endOfInput where text.isEmpty: return .ended
    case .endOfInput where cursor < text.count: text.remove(at: cursor)
    default: break
    }
    return .editing
  }

  private mutating func finish() -> Outcome {
    let line = String(text)
    if !line.allSatisfy({ $0.isWhitespace }), history.last != line {
      history.append(line)
      if history.count > Self.historyMax { history.removeFirst() }
    }
    reset()
    return .line(line)
  }

  private mutating func reset() {
    text = []
    cursor = 0
    position = history.count
  }

  private mutating func show(_ index: Int) {
    guard index >= 0, index <= history.count, index != position else { return }
    if position == history.count { unfinished = text }
    position = index
    text = index == history.count ? unfinished : Array(history[index])
    cursor = text.count
  }

  /// Adds the common beginning of all words, or shows them.
  private mutating func complete(_ completions: (String) -> [String]) -> Outcome {
    let before = String(text[..<cursor])
    let words = completions(before)
    guard let first = words.first else { return .editing }
    let common = words.dropFirst().reduce(first) { $0.commonPrefix(with: $1) }
    // The unfinished word ends where the common beginning overlaps with the line.
    let typed = (0...min(before.count, common.count)).last {
      before.suffix($0).lowercased() == common.prefix($0).lowercased()
    }
    let overlap = typed ?? 0
    let isComplete = words.count == 1
    if overlap == common.count, !isComplete { return .choices(words) }
    text.replaceSubrange(cursor - overlap..<cursor, with: Array(common))
    cursor += common.count - overlap
    if isComplete, !common.hasSuffix("(") { _ = press(.character(" ")) }
    return .editing
  }
}
#endif
