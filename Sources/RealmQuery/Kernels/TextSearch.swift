// SPDX-License-Identifier: Apache-2.0

// Searching texts for words.

import RealmStorage
import RealmTables

/// The terms of a full-text search.
///
/// A text matches if it has all of the words, for each beginning (`swi*`) a longer word, and none
/// of the excluded words (`-java`). Words are those of full-text indexes: without case and marks.
struct TextSearch: Sendable {
  typealias Token = FullTextTokenizer.Token

  private var words: [Token] = []
  private var beginnings: [Token] = []
  private var excludedWords: [Token] = []
  private var excludedBeginnings: [Token] = []

  /// - Parameter terms: The terms, with spaces between them.
  init(_ terms: String) {
    for term in terms.split(whereSeparator: \.isWhitespace) {
      let isExcluded = term.hasPrefix("-")
      let isBeginning = term.hasSuffix("*")
      let tokens = TextSearch.tokens(Array(term.utf8))
      switch (isExcluded, isBeginning) {
      case (false, false): words += tokens
      case (false, true): beginnings += tokens
      case (true, false): excludedWords += tokens
      case (true, true): excludedBeginnings += tokens
      }
    }
  }

  private static func tokens(_ bytes: [UInt8]) -> [Token] {
    unsafe bytes.withUnsafeBytes { unsafe Array(FullTextTokenizer.tokens(of: $0)) }
  }

  /// Whether terms have letters or digits, and none that a full-text index keeps: the search finds
  /// nothing, whatever the texts are.
  static func isLost(_ terms: String) -> Bool {
    TextSearch(terms).isEmpty && terms.contains { $0.isLetter || $0.isNumber }
  }

  var isEmpty: Bool {
    words.isEmpty && beginnings.isEmpty && excludedWords.isEmpty && excludedBeginnings.isEmpty
  }

  /// Whether an index can narrow down the matches.
  var narrows: Bool { !words.isEmpty || !beginnings.isEmpty }

  /// Whether a text matches; null never does.
  func matches(_ text: ByteView?) -> Bool {
    guard let text, !isEmpty else { return false }
    let found = unsafe FullTextTokenizer.tokens(of: text.bytes)
    func hasBeginning(_ beginning: Token) -> Bool {
      found.contains { $0.bytes.starts(with: beginning.bytes) }
    }
    return words.allSatisfy(found.contains) && beginnings.allSatisfy(hasBeginning)
      && !excludedWords.contains(where: found.contains)
      && !excludedBeginnings.contains(where: hasBeginning)
  }

  /// The objects that have all the words that are wanted, ascending; nothing is excluded.
  func candidates(in index: WordIndex) throws(StorageError) -> [ObjectKey] {
    var sets: [[ObjectKey]] = []
    for word in words { sets.append(try index.objects(with: word)) }
    for beginning in beginnings { sets.append(try index.objects(withPrefix: beginning)) }
    sets.sort { $0.count < $1.count }
    guard var keys = sets.first else { return [] }
    for set in sets.dropFirst() where !keys.isEmpty {
      let others = Set(set)
      keys.removeAll { !others.contains($0) }
    }
    return keys
  }
}
