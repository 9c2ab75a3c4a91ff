// SPDX-License-Identifier: Apache-2.0

// The Swift that the README and the articles show is compiled, and run where that makes sense.

import Foundation
import TestExtensions
import Testing

/// The blocks of the pages are regions of `Tests/DocumentationExamples/Articles`, and of a test
/// with a server.
struct SnippetTests {
  private static let catalogue = "Sources/RealmSwift/RealmSwift.docc"

  private static let pages: [String] = {
    let below = FileManager.default.enumerator(
      atPath: Repository.root.appending(path: catalogue).path)
    var pages = [
      "README.md", "Documentation/Sync/InTheApp.md", "Documentation/Sync/LogIn.md",
      "Documentation/Sync/MovingFromAtlasDeviceSync.md",
      "Documentation/Sync/WhenThingsGoWrong.md",
    ]
    while let path = below?.nextObject() as? String {
      if path.hasSuffix(".md") { pages.append("\(catalogue)/\(path)") }
    }
    return pages.sorted()
  }()

  private static let regions: [SnippetRegion] = Repository.code
    .filter {
      $0.path.hasPrefix("Tests/DocumentationExamples/Articles/")
        || $0.path == "Tests/RealmServerTests/LogInPageTests.swift"
    }
    .flatMap { SnippetRegion.regions(of: $0.text) }

  private static let texts = Dictionary(
    regions.map { ($0.name, $0.text) }, uniquingKeysWith: { first, _ in first })

  @Test func eachBlockIsCompiled() throws {
    expectTrue(Self.pages.count > 10)
    expectTrue(Self.regions.count > 20)
    let renews = ProcessInfo.processInfo.environment["REALM_RENEW_SNIPPETS"] == "1"
    for page in Self.pages {
      let text = try Repository.text(page)
      let expected = CodeBlock.renewed(text, from: Self.texts)
      if renews, text != expected {
        try expected.write(
          to: Repository.root.appending(path: page), atomically: true, encoding: .utf8)
      }
      for block in CodeBlock.blocks(of: renews ? expected : text) {
        switch block.kind {
        case .other: break
        case .manifest: try checkManifest(block, page)
        case .unmarked: Issue.record("\(page):\(block.line): say what the block shows")
        case .snippet(let name):
          let region = try #require(
            Self.texts[name], "\(page):\(block.line): no region is called '\(name)'")
          #expect(
            block.text == region,
            "\(page):\(block.line) differs from '\(name)'; REALM_RENEW_SNIPPETS=1 renews the page")
        }
      }
    }
  }

  /// Checks the traits and products that lines of a manifest name.
  private func checkManifest(_ block: CodeBlock, _ page: String) throws {
    let manifest = try Repository.text("Package.swift")
    for part in ["traits: [", "name: \"RealmSwift\", package: "] {
      guard let start = block.text.range(of: part) else { continue }
      let names = block.text[start.upperBound...].prefix { $0 != "]" && $0 != ")" }
        .split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
      for name in names where name != ".defaults" {
        expectTrue(manifest.contains("name: \(name)"), "\(page):\(block.line): no \(name)")
      }
    }
  }

  @Test func eachRegionIsShown() throws {
    let shown = try Set(
      Self.pages.flatMap { page in
        CodeBlock.blocks(of: try Repository.text(page)).compactMap {
          if case .snippet(let name) = $0.kind { name } else { nil }
        }
      })
    for region in Self.regions where !region.name.hasPrefix("tutorial-") {
      expectTrue(shown.contains(region.name), "no page shows '\(region.name)'")
    }
    expectTrue(Self.texts.count == Self.regions.count, "two files have a region of one name")
  }

  // MARK: The tutorial

  private static let tutorial = "\(catalogue)/Tutorial"

  /// The files of the tutorial after each of its steps, by the names that a reader gives them.
  private static func steps() throws -> [[String: String]] {
    let page = try Repository.text("\(tutorial)/WaterThePlants.tutorial")
    var files: [String: String] = [:]
    return page.split(separator: "\n").compactMap { line in
      let words = line.split(separator: "\"")
      guard line.contains("@Code(name: "), words.count > 3 else { return nil }
      files[String(words[1])] = String(words[3])
      return files
    }
  }

  @Test func theLastStepIsRunInATest() throws {
    let files = try #require(try Self.steps().last)
    for (name, region) in ["Plant.swift": "tutorial-model", "Greenhouse.swift": "tutorial-house"] {
      let file = try #require(files[name])
      let text = try Repository.text("\(Self.tutorial)/Code/\(file)")
      let expected = try #require(Self.texts[region])
      expectTrue(text == "import Foundation\nimport RealmSwift\n\n" + expected, "\(file)")
    }
  }

  @Test(.heavy, .enabled(if: Toolchain.current != nil, "The modules of this build cannot be found"))
  func eachStepCompiles() throws {
    let toolchain = try #require(Toolchain.current)
    let steps = try Self.steps().map { $0.filter { $0.key != "Package.swift" } }
    expectTrue(steps.count > 5)
    for files in steps where !files.isEmpty {
      let diagnostics = try toolchain.check(
        files.mapValues { try Repository.text("\(Self.tutorial)/Code/\($0)") })
      expectTrue(diagnostics == "", "\(files.values.sorted())")
    }
    let wrong = try toolchain.check(["Plant.swift": "import RealmSwift\nlet plant = Plants()\n"])
    expectTrue(wrong.contains("cannot find 'Plants'"))
  }

  // MARK: The parts of this test

  @Test func regionsAreRead() {
    let text = """
      import A
      // snippet: one
      struct B {
        // snippet hide
        let hidden = 1
        // snippet show

        let shown = 2
      }
      // snippet end
      func f() {
        // snippet: one
        if a {
          b()
        }
        // snippet end
      }
      """
    #expect(
      SnippetRegion.regions(of: text) == [
        SnippetRegion(
          name: "one", text: "struct B {\n\n  let shown = 2\n}\n\nif a {\n  b()\n}\n")
      ])
  }

  @Test func blocksAreReadAndRenewed() {
    let page = """
      <!-- snippet: one -->
      ```swift
      old()
      ```
      ```swift
      lost()
      ```
      <!-- other: GRDB -->
      ```swift
      ```
      """
    #expect(
      CodeBlock.blocks(of: page) == [
        CodeBlock(kind: .snippet("one"), line: 2, lineCount: 1, text: "old()\n"),
        CodeBlock(kind: .unmarked, line: 5, lineCount: 1, text: "lost()\n"),
        CodeBlock(kind: .other, line: 9, lineCount: 0, text: ""),
      ])
    let renewed = CodeBlock.renewed(page, from: ["one": "new()\nnewer()\n"])
    expectTrue(renewed == page.replacing("old()", with: "new()\nnewer()"))
  }
}
