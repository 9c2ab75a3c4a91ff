// SPDX-License-Identifier: Apache-2.0

// Regular expressions of users, whose cost has a limit.

#if Server
import RealmStorage
import Testing

@testable import RealmServerServices

struct PatternTests {
  private static func matches(
    _ pattern: String, _ options: String = "", _ text: String
  ) throws -> Bool {
    var work = DocumentWork(DocumentLimits(), now: { 0 })
    return try Pattern(pattern, options: options).matches(text, &work)
  }

  @Test(
    arguments: [
      ("", "", ["", "a"], []),
      ("abc", "", ["xabcx"], ["ab", "ABC"]),
      ("abc", "i", ["xABcx"], ["ab"]),
      ("é", "i", ["É"], ["e"]),
      ("^a", "", ["ab"], ["ba", "b\na"]),
      ("^a", "m", ["b\na"], ["ba"]),
      ("a$", "", ["ba", "a\n"], ["ab", "a\nb"]),
      ("a$", "m", ["a\nb"], ["ab"]),
      ("a.c", "", ["abc", "aéc"], ["a\nc", "ac"]),
      ("a.c", "s", ["a\nc"], ["ac"]),
      ("a b # c", "x", ["ab"], ["a b"]),
      ("ab*c", "", ["ac", "abbc"], ["adc"]),
      ("ab+c", "", ["abc", "abbbc"], ["ac"]),
      ("^ab?c$", "", ["ac", "abc"], ["abbc"]),
      ("^a{2}$", "", ["aa"], ["a", "aaa"]),
      ("^a{2,3}$", "", ["aa", "aaa"], ["a", "aaaa"]),
      ("^a{2,}$", "", ["aa", "aaaaa"], ["a"]),
      ("^a{x}$", "", ["a{x}"], ["a"]),
      ("^(?:ab|c)+$", "", ["abcab", "c"], ["a", ""]),
      ("^(a|)$", "", ["a", ""], ["b"]),
      ("^[a-cx]$", "", ["b", "x"], ["d", "B"]),
      ("^[a-c]$", "i", ["B"], ["d"]),
      ("^[^a-c]$", "", ["d", "é"], ["a"]),
      ("^[]a]$", "", ["]", "a"], ["b"]),
      ("^[a-]$", "", ["-", "a"], ["b"]),
      ("^[\\d-]$", "", ["5", "-"], ["a"]),
      ("^\\w+\\s\\d$", "", ["ab_1 5"], ["ab5", "é 5"]),
      ("^\\W\\S\\D$", "", ["!ab"], ["aab", "! b"]),
      ("\\bcat\\b", "", ["a cat!"], ["concat"]),
      ("\\Bcat", "", ["concat"], ["a cat"]),
      ("\\Aa\\z", "", ["a"], ["ba"]),
      ("^\\x41\\.\\/$", "", ["A./"], ["Ax/"]),
      ("(a*)*b", "", ["aab", "b"], ["aa"]),
      ("a*?b", "", ["aab"], ["aa"]),
      ("日本", "", ["私は日本に"], ["日"]),
    ] as [(String, String, [String], [String])])
  func aPatternMatchesAPartOfAText(
    _ pattern: String, _ options: String, _ good: [String], _ bad: [String]
  ) throws {
    for text in good { #expect(try Self.matches(pattern, options, text), "\(pattern) \(text)") }
    for text in bad { #expect(try !Self.matches(pattern, options, text), "\(pattern) \(text)") }
  }

  @Test(arguments: [
    "a**+", "(", ")", "[a", "*a", "a{1001}", "a{3,2}", "\\", "\\q", "(?i)a", "(?<n>a)",
    "[[:alpha:]]",
    "[b-a]", "((((a{100}){100}){100}){100})", "\\x4",
  ])
  func whatIsNoPatternIsRefused(_ pattern: String) {
    #expect(throws: DocumentError.self) { try Self.matches(pattern, "", "a") }
  }

  /// `PatternParser` 1
  @Test func patternsHaveALimit() throws {
    #expect(throws: DocumentError.self) {
      try Self.matches(String(repeating: "a", count: 1_025), "", "a")
    }
    #expect(throws: DocumentError.self) { try Self.matches("(a{999}){5}", "", "a") }
    // Nothing, however often.
    #expect(try Self.matches("((((){900}){900}){900}){900}", "", "a"))
    #expect(throws: DocumentError.self) {
      try Self.matches(
        String(repeating: "(", count: 60) + String(repeating: ")", count: 60), "", "")
    }
  }

  /// With a search that goes back this would take years.
  @Test func noPatternTakesMoreThanItsStepsTimesTheText() throws {
    let text = String(repeating: "a", count: 3_000)
    #expect(try !Self.matches("^(a+)+b$", "", text))
    #expect(try !Self.matches("(a|aa|aaa)*c", "", text))
  }

  /// The end of a call's time ends a match.
  @Test func aMatchIsWork() throws {
    let time = Locked(UInt64(0))
    var work = DocumentWork(
      DocumentLimits(time: 1),
      now: {
        time.withLock { time in
          time += 1
          return time
        }
      })
    let text = String(repeating: "a", count: 20_000)
    #expect(throws: DocumentError.tooLong) { try Pattern("(a?){900}b").matches(text, &work) }
  }
}
#endif
