// SPDX-License-Identifier: Apache-2.0

import Testing

/// Tests and assertions cite rules by name and number; each cited one must be stated somewhere.
struct NumberedRuleTests {
  private static let stated: Set<NumberedRule> = {
    let document = (try? Repository.text("ARCHITECTURE.md")) ?? ""
    var rules = NumberedRule.stated(
      in: document, below: "## Invariants", as: "ARCHITECTURE")
    for file in Repository.code where file.module != nil {
      for rule in NumberedRule.stated(in: file) {
        rules.insert(rule)
        // The rules of an extension's file are the type's, too.
        let type = rule.name.prefix { $0 != "+" }
        rules.insert(NumberedRule(name: String(type), number: rule.number))
      }
    }
    return rules
  }()

  private static let names = Set(stated.map(\.name))

  /// The citations of names that state rules; others are no citations.
  private static func citations(in file: SourceFile) -> [(rule: NumberedRule, line: Int)] {
    NumberedRule.cited(in: file).filter { names.contains($0.rule.name) }
  }

  @Test func citedRulesAreStated() {
    for file in Repository.code {
      for (rule, line) in Self.citations(in: file) where !Self.stated.contains(rule) {
        Issue.record("\(file.path):\(line): there is no rule \(rule)")
      }
    }
  }

  /// Names that look like citations, but state no rules, are mistakes in tests.
  @Test func testsCiteFilesThatStateRules() {
    for file in Repository.code
    where file.path.hasPrefix("Tests/") && !file.path.hasPrefix("Tests/StyleTests/") {
      for (rule, line) in NumberedRule.cited(in: file)
      where rule.name.isCapitalized && !Self.names.contains(rule.name) {
        Issue.record("\(file.path):\(line): \(rule.name) states no numbered rules")
      }
    }
  }

  @Test func rulesThatNoTestCitesAreListed() {
    var cited: Set<NumberedRule> = []
    for file in Repository.code where file.path.hasPrefix("Tests/") {
      cited.formUnion(Self.citations(in: file).map(\.rule))
    }
    #expect(!cited.isEmpty)
    for module in FolderCycle.limits.keys.sorted() {
      let rules = Repository.code.filter { $0.module == module }
        .reduce(into: Set<NumberedRule>()) { $0.formUnion(NumberedRule.stated(in: $1)) }
      let open = rules.subtracting(cited)
      print("\(module): \(open.count) of \(rules.count) numbered rules are cited by no test")
      for rule in open.sorted() { print("  \(rule)") }
    }
  }

  // MARK: The rule itself

  private static let file = SourceFile(
    path: "Sources/Small/Tree+Grow.swift",
    text: """
      // 1. Leaves are green.
      //    They are also flat.
      // 2. Twigs are brown, as `Tree` 1 is.
      let step = 3.5  // 3 apples
      /// 4. A tree has a root: `Forest` 12, 3 and 4, `Tree` 1.5, `tree` 7, `Tree`.
      """)

  @Test func statedRulesAreRead() {
    let rules = NumberedRule.stated(in: Self.file).map(\.number).sorted()
    #expect(rules == [1, 2, 4])
    let document = "# Page\n\n1. No.\n\n## Invariants of all\n\n1. A.\n2. B.\n\n## Next\n\n3. C.\n"
    let below = NumberedRule.stated(in: document, below: "## Invariants", as: "P")
    #expect(below.map(\.number).sorted() == [1, 2])
  }

  @Test func citationsAreRead() {
    let found = NumberedRule.cited(in: Self.file).map { "\($0.rule)" }
    #expect(found == ["`Tree` 1", "`Forest` 12", "`Forest` 3", "`Forest` 4", "`tree` 7"])
  }
}
