// SPDX-License-Identifier: Apache-2.0

// The links between the pages of the repository lead to files.

import Foundation
import Testing

/// Relative links in Markdown pages.
struct PageLinkTests {
  private static let pages: [String] = {
    let folders = ["Documentation", "Sources/RealmSwift/RealmSwift.docc", "Benchmarks", "Examples"]
    var found = [
      "ARCHITECTURE.md", "CONTRIBUTING.md", "MAINTAINING.md", "README.md", "SECURITY.md",
    ]
    for folder in folders {
      let path = Repository.root.appending(path: folder).path
      let below = FileManager.default.enumerator(atPath: path)
      while let name = below?.nextObject() as? String {
        if name.hasSuffix(".md"), !name.contains(".build") { found.append("\(folder)/\(name)") }
      }
    }
    return found
  }()

  /// The relative links of a page, without the names of their sections: what is in parentheses
  /// after brackets, outside of code.
  static func links(of page: String) -> [String] {
    var isBlock = false
    return page.split(separator: "\n").flatMap { line -> [String] in
      if line.hasPrefix("```") { isBlock.toggle() }
      guard !isBlock else { return [] }
      let plain = line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
        .map { $0.offset % 2 == 0 ? String($0.element) : "code" }.joined()
      return plain.components(separatedBy: "](").dropFirst().compactMap { rest in
        let target = rest.prefix { $0 != ")" && $0 != " " && $0 != "#" }
        return target.isEmpty || target.contains(":") ? nil : String(target)
      }
    }
  }

  @Test func linksLeadToFiles() throws {
    var count = 0
    for page in Self.pages {
      let folder = Repository.root.appending(path: page).deletingLastPathComponent()
      for link in Self.links(of: try Repository.text(page)) {
        // DocC finds its images by names without a suffix.
        if page.contains(".docc/"), !link.contains(".") { continue }
        count += 1
        let path = folder.appending(path: link).standardizedFileURL.path
        #expect(FileManager.default.fileExists(atPath: path), "\(page) links to \(link)")
      }
    }
    #expect(count > 100)
  }

  @Test func linksAreRead() {
    let page = """
      See [one](a/b.md#part), [two](https://example.org) and [`three`](../c) or `d[1](e)`.
      [four](#here)
      ```
      [five](f)
      ```
      """
    #expect(Self.links(of: page) == ["a/b.md", "../c"])
  }
}
