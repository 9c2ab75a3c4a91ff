// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestExtensions
import Testing

/// The rules of CONTRIBUTING.md, applied to every file of the repository.
struct StyleTests {
  /// A rule, and what it says of one file.
  struct Rule: Sendable, CustomTestStringConvertible {
    var name: String
    var check: @Sendable (SourceFile) -> [Violation]

    var testDescription: String { name }
  }

  static let rules: [Rule] = [
    Rule(name: "licence line", check: TextRules.licenseLine),
    Rule(name: "purpose of the file", check: TextRules.purpose),
    Rule(name: "length of lines", check: TextRules.lineLength),
    Rule(name: "length of files", check: TextRules.fileLength),
    Rule(name: "leftover notes", check: TextRules.leftovers),
    Rule(name: "no forced try", check: CodeRules.forcedTry),
    Rule(name: "no printing", check: CodeRules.printing),
    Rule(name: "traps have reasons", check: TrapRules.traps),
    Rule(name: "no write to the empty array", check: CodeRules.uninitializedArrays),
    Rule(name: "no task-local functions", check: CodeRules.taskLocalFunctions),
    Rule(name: "benchmarks delete their own", check: CodeRules.benchmarkDeletions),
    Rule(name: "limits of time are for hangs", check: TestRules.timeLimits),
    Rule(name: "force unwraps proven", check: CodeRules.forceUnwrap),
    Rule(
      name: "unchecked concurrency reasoned", check: CodeRules.uncheckedConcurrency),
    Rule(name: "continuations look again", check: CodeRules.continuationLists),
    Rule(
      name: "length of functions", check: StructureRules.functionLength),
    Rule(name: "one primary type", check: StructureRules.primaryType),
    Rule(name: "documentation", check: documentation),
    Rule(name: "imports point down", check: ModuleOrder.imports),
    Rule(name: "no sync without its trait", check: TraitRules.sync),
    Rule(name: "modules of a trait are empty without it", check: TraitRules.modules),
    Rule(name: "names of the field", check: NameRules.retiredNames),
  ]

  private static let requirements = Repository.code.filter { $0.module != nil }
    .reduce(into: Set<String>()) { $0.formUnion(DocumentationRule.requirements($1)) }

  private static let documentation: @Sendable (SourceFile) -> [Violation] = {
    DocumentationRule.check($0, requirements: requirements)
  }

  @Test(.heavy, arguments: rules)
  func everyFileFollows(_ rule: Rule) {
    let violations = Repository.code.flatMap(rule.check)
    let report = violations.map(\.description).joined(separator: "\n")
    expectTrue(violations.isEmpty, "\n\(report)")
  }

  @Test func namesThatNobodyUsesAreRetired() {
    let used = Repository.code.reduce(into: Set<String>()) { used, file in
      for token in file.tokens where token.kind == .word {
        if let (name, _) = NameRules.match(token.text, in: NameRules.leaving) { used.insert(name) }
      }
    }
    let unused = Set(NameRules.leaving.keys).subtracting(used)
    expectTrue(unused.isEmpty, "move these to `NameRules.retired`: \(unused.sorted())")
  }

  @Test func everyReasonForTrapsIsNeeded() {
    let trapping = Repository.code.filter { $0.module != nil && !TrapRules.calls($0).isEmpty }
    let paths = Set(trapping.map { String($0.path.dropFirst("Sources/".count)) })
    expectTrue(Set(TrapRules.reasons.keys).subtracting(paths).isEmpty)
  }

  @Test func theRepositoryIsFound() {
    #expect(Repository.code.contains { $0.path == "Tests/StyleTests/StyleTests.swift" })
    #expect(Repository.code.contains { $0.module == "RealmStorage" })
  }

  @Test func theManifestPointsDown() throws {
    let manifest = try Repository.text("Package.swift")
    expectTrue(ModuleOrder.manifest(manifest).isEmpty)
    let named = Set(ModuleOrder.manifestTargets(manifest).map(\.name))
    expectTrue(named == Set(ModuleOrder.allowed.keys))
  }

  @Test func theChangelogTellsWhatIsNew() throws {
    let changelog = try Repository.text("CHANGELOG.md")
    let sections = changelog.components(separatedBy: "\n## ").dropFirst()
    let newest = try #require(sections.first)
    expectTrue(newest.contains("\n- "), "the newest section of CHANGELOG.md has no entry")
  }

  @Test func theReadmeCommandsAreWhatCIRuns() throws {
    let readme = try Repository.text("README.md")
    let commands = readme.split(separator: "\n").filter { $0.hasPrefix("swift ") }
    expectTrue(commands.count == 2, "the README gives two commands: \(commands)")
    let script = try Repository.text(".ci/run")
    for command in commands {
      expectTrue(script.contains(command), ".ci/run does not run: \(command)")
    }
  }
}
