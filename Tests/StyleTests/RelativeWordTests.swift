// SPDX-License-Identifier: Apache-2.0

import TestExtensions
import Testing

/// Comments say who does what, and need few relative clauses for it.
struct RelativeWordTests {
  @Test(.heavy) func commentsStandAlone() {
    var modules: [String: RelativeWords] = [:]
    for file in Repository.code {
      guard let module = file.module, file.isSwift else { continue }
      modules[module, default: RelativeWords()].add(file)
    }
    expectTrue(modules.count > 10)
    for (module, count) in modules.sorted(by: { $0.key < $1.key }) where count.wordCount > 100 {
      let limit = RelativeWords.limits[module] ?? RelativeWords.defaultLimit
      let share = (count.share * 100).rounded() / 100
      print("\(module): \(share) of 100 words of comments are relative, at most \(limit)")
      #expect(
        count.share <= limit, "say it without \(RelativeWords.words.sorted()): \(module)")
    }
  }

  @Test func wordsAreCounted() {
    var count = RelativeWords()
    count.add(
      SourceFile(
        path: "Sources/A/B.swift",
        text: """
          // That is the licence.

          // What is this? The thing THAT is `whose`.
          let that = "who"  // those
          """))
    expectTrue(count == RelativeWords(wordCount: 9, relativeCount: 3))
  }
}
