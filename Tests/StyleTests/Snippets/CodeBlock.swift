// SPDX-License-Identifier: Apache-2.0

// The Swift code of a page, and what the page says of it.

/// A block of Swift in a page, with the comment of HTML before it.
///
/// `<!-- snippet: name -->` shows a region of a compiled file, `<!-- other: GRDB -->` code of
/// another library, and `<!-- manifest -->` lines of a package's manifest.
struct CodeBlock: Equatable {
  enum Kind: Equatable {
    case snippet(String)
    case other
    case manifest
    case unmarked
  }

  var kind: Kind
  /// The line of the fence in the page, from 1.
  var line: Int
  /// The number of lines between the fences.
  var lineCount: Int
  var text: String

  /// The blocks of a page.
  static func blocks(of page: String) -> [CodeBlock] {
    let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
    var found: [CodeBlock] = []
    var index = 0
    while index < lines.count {
      defer { index += 1 }
      guard lines[index].hasPrefix("```swift") else { continue }
      let start = index
      while index + 1 < lines.count, !lines[index + 1].hasPrefix("```") { index += 1 }
      let body = lines[start + 1..<index + 1]
      index += 1
      found.append(
        CodeBlock(
          kind: kind(of: start > 0 ? lines[start - 1] : ""), line: start + 1,
          lineCount: body.count, text: body.map { $0 + "\n" }.joined()))
    }
    return found
  }

  private static func kind(of line: Substring) -> Kind {
    guard line.hasPrefix("<!-- "), line.hasSuffix(" -->") else { return .unmarked }
    let mark = line.dropFirst(5).dropLast(4)
    if mark == "manifest" { return .manifest }
    if mark.hasPrefix("other: ") { return .other }
    return mark.hasPrefix("snippet: ") ? .snippet(String(mark.dropFirst(9))) : .unmarked
  }

  /// The page with the text of the regions in the blocks that show them.
  static func renewed(_ page: String, from regions: [String: String]) -> String {
    var lines = page.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    for block in blocks(of: page).reversed() {
      guard case .snippet(let name) = block.kind, let text = regions[name] else { continue }
      let new = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      lines.replaceSubrange(block.line..<block.line + block.lineCount, with: new.map(String.init))
    }
    return lines.joined(separator: "\n")
  }
}
