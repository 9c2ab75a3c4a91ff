// SPDX-License-Identifier: Apache-2.0

// A source file as the style rules see it, and the files of the repository.

import Foundation

/// One text of the repository, cut into lines, tokens and comments.
struct SourceFile {
  /// Relative to the root of the repository.
  let path: String
  let text: String
  let lines: [Substring]
  let tokens: [Token]
  let comments: [Comment]
  /// The comments of each line.
  let commentsByLine: [Int: [Comment]]

  init(path: String, text: String) {
    self.path = path
    self.text = text
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    self.lines = lines
    let lexer = Lexer(text)
    tokens = lexer.tokens
    comments = lexer.comments
    commentsByLine = Dictionary(grouping: lexer.comments, by: \.line)
  }

  /// The name without folder and suffix.
  var name: String {
    String(path.split(separator: "/").last?.split(separator: ".").first ?? "")
  }

  var isSwift: Bool { path.hasSuffix(".swift") }

  /// The module whose sources the file belongs to (`Sources/<module>/…`), if it is product code.
  var module: String? {
    let parts = path.split(separator: "/")
    return parts.count > 2 && parts[0] == "Sources" ? String(parts[1]) : nil
  }

  /// Whether a comment stands on the line, or on one of the lines near it.
  func hasComment(near line: Int, before: Int, after: Int = 0) -> Bool {
    (line - before...line + after).contains { commentsByLine[$0] != nil }
  }
}

/// Something that a rule does not like.
struct Violation: CustomStringConvertible, Equatable {
  var rule: String
  var path: String
  var line: Int
  var message: String

  var description: String { "\(path):\(line): \(message) [\(rule)]" }
}

/// The files of the repository that this test was built from.
enum Repository {
  static let root: URL = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Reads one file of the repository.
  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// All hand-written code of the repository, in the order of its paths.
  static let code: [SourceFile] = {
    var files = ["Package.swift", "Benchmarks/Package.swift", "Modernizer/Package.swift"]
    let folders = [
      "Sources", "Tests", "Examples", "Benchmarks/Sources", "Benchmarks/Tests",
      "Modernizer/Sources",
      "Modernizer/Tests",
    ]
    for folder in folders {
      let below = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
      while let path = below?.nextObject() as? String {
        // The steps of tutorials are shown as they are, without the licence's line.
        if path.contains(".docc/") || path.hasPrefix(".build") { continue }
        if path.hasSuffix(".swift") || path.hasSuffix(".c") || path.hasSuffix(".h") {
          files.append("\(folder)/\(path)")
        }
      }
    }
    return files.sorted().compactMap { path in
      (try? text(path)).map { SourceFile(path: path, text: $0) }
    }
  }()
}
