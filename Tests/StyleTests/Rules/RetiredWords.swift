// SPDX-License-Identifier: Apache-2.0

// Words of comments for which the field has nouns and verbs: they become fewer.

/// The files whose comments have a word that is given up.
///
/// "Tells" is *notifies*, *reports*, *returns* or *shows*; "somebody" is the caller, a reader or a
/// writer. The words of code in backticks do not count.
enum RetiredWords {
  /// How many files of the modules may have a word of each group. Limits can only be lowered.
  static let limits: [(words: Set<String>, fileCount: Int)] = [
    (["tell", "tells", "told"], 45),
    (["somebody", "nobody", "whoever"], 26),
    (["anew"], 5),
    (["moment", "moments"], 16),
    (["place", "places"], 195),
    (["text", "texts"], 208),
  ]

  /// Whether a comment of a file has one of the words.
  static func occur(_ words: Set<String>, in file: SourceFile) -> Bool {
    file.comments.contains { comment in
      guard comment.line > 1 else { return false }
      // Every second part is between backticks.
      let parts = comment.text.split(separator: "`", omittingEmptySubsequences: false)
      return stride(from: 0, to: parts.count, by: 2).contains { index in
        parts[index].split { !$0.isLetter }.contains { words.contains($0.lowercased()) }
      }
    }
  }
}
