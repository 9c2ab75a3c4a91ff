// SPDX-License-Identifier: Apache-2.0

// Rules about the text of a file: its first lines, its length, words that do not belong there.

/// Rules that read lines and comments.
enum TextRules {
  static let lineLengthMax = 100
  static let fileLengthMax = 800
  static let license = "SPDX-License-Identifier: Apache-2.0"

  /// Each file says its licence in its first line; a manifest says its tools version there.
  static func licenseLine(_ file: SourceFile) -> [Violation] {
    guard !file.path.hasSuffix("Package.swift") else { return [] }
    let first = file.lines.first ?? ""
    let isGood = file.isSwift ? first == "// \(license)" : first.contains(license)
    guard !isGood else { return [] }
    return [violation("license", file, 1, "the first line is not the licence line")]
  }

  /// A paragraph after the licence line says what the file is for.
  static func purpose(_ file: SourceFile) -> [Violation] {
    guard file.module != nil, file.isSwift else { return [] }
    let firstToken = file.tokens.first?.line ?? .max
    let hasPurpose = file.comments.contains {
      $0.line > 1 && $0.line < firstToken && !$0.isDocumentation
    }
    guard !hasPurpose else { return [] }
    return [violation("purpose", file, 1, "no comment says what the file is for")]
  }

  /// Lines fit on a screen.
  static func lineLength(_ file: SourceFile) -> [Violation] {
    zip(1..., file.lines).compactMap { number, line in
      guard line.utf8.count > lineLengthMax, line.count > lineLengthMax else { return nil }
      return violation("line-length", file, number, "\(line.count) columns")
    }
  }

  /// Files can be read in one go.
  static func fileLength(_ file: SourceFile) -> [Violation] {
    guard file.lines.count > fileLengthMax else { return [] }
    return [violation("file-length", file, fileLengthMax, "\(file.lines.count) lines")]
  }

  /// No notes to ourselves: what is not done is an issue, not a comment.
  static func leftovers(_ file: SourceFile) -> [Violation] {
    let words: Set<Substring> = ["TODO", "FIXME", "XXX", "HACK", "WIP"]
    return file.comments.compactMap { comment in
      let found = comment.text
        .split { !$0.isLetter }
        .first { words.contains($0) }
      return found.map { violation("leftover", file, comment.line, "the word \($0)") }
    }
  }

  private static func violation(
    _ rule: String, _ file: SourceFile, _ line: Int, _ message: String
  ) -> Violation {
    Violation(rule: rule, path: file.path, line: line, message: message)
  }
}
