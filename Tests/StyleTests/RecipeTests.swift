// SPDX-License-Identifier: Apache-2.0

// The lists of files in Documentation/Recipes.md.

import Foundation
import TestExtensions
import Testing

/// A recipe names the files of `Sources` that match its pattern.
struct RecipeTests {
  private struct Recipe {
    let title: String
    let pattern: String
    var files: Set<String>
  }

  /// The recipes of the page, one for each line "Files with `pattern`:".
  private static func recipes() throws -> [Recipe] {
    var found: [Recipe] = []
    var title = ""
    for line in try Repository.text("Documentation/Recipes.md").split(separator: "\n") {
      if line.hasPrefix("## ") { title = String(line.dropFirst(3)) }
      if line.hasPrefix("Files with `"), line.hasSuffix("`:") {
        let pattern = line.dropFirst("Files with `".count).dropLast(2)
        found.append(Recipe(title: title, pattern: String(pattern), files: []))
      }
      if line.hasPrefix("| `"), let name = line.split(separator: "`").dropFirst().first {
        found[found.count - 1].files.insert(String(name))
      }
    }
    return found
  }

  /// The texts of the product: Swift, and the scripts of Studio's page.
  private static func sources() -> [(path: String, text: String)] {
    var sources = Repository.code.filter { $0.module != nil && $0.isSwift }
      .map { (String($0.path.dropFirst("Sources/".count)), $0.text) }
    let folder = Repository.root.appending(path: "Sources/RealmStudio/Page")
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    where name.hasSuffix(".js") {
      let text = try? String(contentsOf: folder.appending(path: name), encoding: .utf8)
      sources.append(("RealmStudio/Page/\(name)", text ?? ""))
    }
    return sources
  }

  @Test func eachListIsWhatTheCodeSays() throws {
    let recipes = try Self.recipes()
    expectTrue(recipes.count >= 5)
    let sources = Self.sources()
    for recipe in recipes {
      let expression = try NSRegularExpression(pattern: recipe.pattern)
      let matching = sources.filter { _, text in
        expression.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
      }
      expectEqual(recipe.files.sorted(), matching.map(\.path).sorted(), "\(recipe.title)")
    }
  }
}
