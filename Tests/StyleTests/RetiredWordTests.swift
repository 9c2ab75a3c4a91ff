// SPDX-License-Identifier: Apache-2.0

import TestExtensions
import Testing

/// Comments use the words of the field.
struct RetiredWordTests {
  @Test(.heavy) func wordsThatAreGivenUpBecomeFewer() {
    let files = Repository.code.filter { $0.module != nil && $0.isSwift }
    for (words, limit) in RetiredWords.limits {
      let found = files.filter { RetiredWords.occur(words, in: $0) }
      let names = words.sorted().joined(separator: ", ")
      print("\(found.count) files have \(names) in comments, at most \(limit) may")
      #expect(
        found.count <= limit, "\(names): \(found.map(\.path).joined(separator: " "))")
    }
  }

  @Test func wordsAreFoundInCommentsAlone() {
    func occurs(_ text: String) -> Bool {
      RetiredWords.occur(["place"], in: SourceFile(path: "Sources/A/B.swift", text: text))
    }
    let licence = "// The licence of this place.\n"
    #expect(occurs(licence + "/// The Place of a row.\n"))
    #expect(occurs(licence + "// `place` is a place.\n"))
    #expect(!occurs(licence + "// The `place` of `a`, its placement and replaced places.\n"))
    #expect(!occurs(licence + "let place = \"place\"\n"))
  }
}
