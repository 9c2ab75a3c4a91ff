// SPDX-License-Identifier: Apache-2.0

// Regions of compiled files that pages show.

/// The lines of a compiled file between `// snippet: name` and `// snippet end`, without those
/// between `// snippet hide` and `// snippet show`.
///
/// Regions of one name in one file are shown as one block, with an empty line between them.
struct SnippetRegion: Equatable {
  var name: String
  var text: String

  /// The regions of a file, in the order of their first lines.
  static func regions(of text: String) -> [SnippetRegion] {
    var found: [SnippetRegion] = []
    var name: String?
    var lines: [Substring] = []
    var isHidden = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let mark = line.drop { $0 == " " }
      if mark.hasPrefix("// snippet: ") {
        name = String(mark.dropFirst("// snippet: ".count))
        lines = []
      } else if mark == "// snippet end" {
        if let name { add(name, indented(lines), to: &found) }
        name = nil
      } else if mark == "// snippet hide" || mark == "// snippet show" {
        isHidden = mark == "// snippet hide"
      } else if !isHidden {
        lines.append(line)
      }
    }
    return found
  }

  private static func add(_ name: String, _ text: String, to found: inout [SnippetRegion]) {
    if let index = found.firstIndex(where: { $0.name == name }) {
      found[index].text += "\n" + text
    } else {
      found.append(SnippetRegion(name: name, text: text))
    }
  }

  /// The lines with the smallest indentation at the margin.
  private static func indented(_ lines: [Substring]) -> String {
    let margin = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
    return lines.map { $0.dropFirst(margin) + "\n" }.joined()
  }
}
