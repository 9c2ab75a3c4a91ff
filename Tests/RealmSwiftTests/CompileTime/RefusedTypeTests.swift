// SPDX-License-Identifier: Apache-2.0

// What newcomers write: the compiler says what to write instead, and samples compile without a
// warning.

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

@Suite(
  .enabled(if: SwiftCompiler.executable != nil, "There is no Swift compiler on this machine"))
struct RefusedTypeTests {
  @Test(arguments: [
    ("[String]", "'@Persisted var names: List<String>'"),
    ("[Int]?", "'@Persisted var names: List<String>'"),
    ("Set<String>", "'@Persisted var tags: MutableSet<String>'"),
    ("[String: Int]", "'@Persisted var scores: Map<String, Int>'"),
  ])
  func theCompilerSaysWhatToDeclare(_ type: String, _ text: String) throws {
    let diagnostics = try SwiftCompiler.check(
      "import RealmSwift\nclass Dog: Object {\n  @Persisted var values: \(type)\n}\n", .types)
    #expect(
      diagnostics.contains { $0.line == 3 && $0.isError && $0.text.contains(text) },
      "\(diagnostics)")
  }

  @Test func castsSeeNoStoredForm() throws {
    func stored(_ value: Any) -> _StoredValue? {
      (type(of: value) as? any _Storable.Type)?._storedScalar(value)
    }
    expectTrue(stored([1]) == nil)
    expectTrue(stored(Set([1])) == nil)
    expectTrue(stored(["a": 1]) == nil)
    expectTrue(stored(1) != nil)
    let people = try TemporaryRealm().open().objects(Person.self)
    expectTrue(people.filter("id IN %@", [1, 2]).isEmpty)
    expectTrue(people.filter("id IN %@", Set([1, 2])).isEmpty)
  }

  @Test func theSampleOfTheFrontPageCompilesWithoutAWarning() throws {
    var directory = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { directory.deleteLastPathComponent() }
    let page = try String(
      contentsOf: directory.appendingPathComponent("README.md"), encoding: .utf8)
    let start = try #require(page.range(of: "```swift\n"))
    let end = try #require(page.range(of: "```", range: start.upperBound..<page.endIndex))
    let sample = String(page[start.upperBound..<end.lowerBound])
    let diagnostics = try SwiftCompiler.check(sample, .types, isScript: true)
    expectEqual(diagnostics, [])
  }
}
