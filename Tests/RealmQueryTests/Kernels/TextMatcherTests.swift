// SPDX-License-Identifier: Apache-2.0

import RealmStorage
import RealmTestSupport
import Testing

@testable import RealmQuery

struct TextMatcherTests {
  private func matches(
    _ text: String, _ operation: ComparisonOperator, _ part: String, _ options: TextOptions = []
  ) -> Bool {
    let matcher = TextMatcher(operation, Array(part.utf8), options: options)
    return Array(text.utf8).withUnsafeBytes { matcher.matches(ByteView($0)) }
  }

  @Test func exactComparisonsLookAtBytes() {
    #expect(matches("straße", .contains, "raß"))
    #expect(!matches("straße", .contains, "RASS"))
    // The same letter in two encodings is two texts.
    #expect(!matches("e\u{301}", .equal, "\u{E9}"))
    #expect(matches("abc", .beginsWith, "ab"))
    #expect(matches("abc", .endsWith, "bc"))
    #expect(!matches("ab", .beginsWith, "abc"))
    #expect(!matches("ab", .endsWith, "xab"))
    #expect(matches("aaab", .contains, "aab"))
  }

  @Test func lookingForNothingFindsNothing() {
    for operation in [ComparisonOperator.beginsWith, .endsWith, .contains] {
      for options in [TextOptions(), .caseInsensitive, .diacriticInsensitive] {
        #expect(!matches("abc", operation, "", options))
        #expect(!matches("é", operation, "", options))
      }
    }
    #expect(matches("", .equal, ""))
    #expect(matches("", .equal, "", .caseInsensitive))
  }

  @Test func caseIsIgnoredInAllScripts() {
    #expect(matches("ÅNGSTRÖM", .contains, "ström", .caseInsensitive))
    #expect(matches("ΑΘΗΝΑ", .beginsWith, "αθη", .caseInsensitive))
    #expect(matches("Москва", .endsWith, "КВА", .caseInsensitive))
    #expect(!matches("ANGSTROM", .contains, "ström", .caseInsensitive))
    #expect(!matches("abc", .equal, "é", .caseInsensitive))
    #expect(matches("abc", .notEqual, "é", .caseInsensitive))
  }

  @Test func marksAreIgnored() {
    #expect(matches("Ångström", .contains, "ngstrom", .diacriticInsensitive))
    #expect(matches("e\u{301}", .equal, "\u{E9}", .diacriticInsensitive))
    #expect(matches("RÉSUMÉ", .equal, "resume", [.caseInsensitive, .diacriticInsensitive]))
    #expect(!matches("RÉSUMÉ", .equal, "resume", .diacriticInsensitive))
  }

  @Test func nullEqualsNothing() {
    let equal = TextMatcher(.equal, [], options: .caseInsensitive)
    let different = TextMatcher(.notEqual, [], options: .caseInsensitive)
    #expect(!equal.matches(nil))
    #expect(different.matches(nil))
    #expect(!TextMatcher(.contains, [97], options: []).matches(nil))
  }

  @Test func patterns() {
    #expect(matches("résumé", .like, "r?sum?"))
    #expect(!matches("résumé", .like, "r??sum?"))
    #expect(matches("abcabc", .like, "*c"))
    #expect(matches("abcabc", .like, "a*b*"))
    #expect(!matches("abcabc", .like, "*b"))
    #expect(matches("", .like, "*"))
    #expect(matches("", .like, ""))
    #expect(!matches("", .like, "?"))
    #expect(matches("ABC", .like, "a?C", .caseInsensitive))
    // Nothing makes them represent themselves: a backslash is a character like others.
    #expect(matches("a\\xb", .like, "a\\*b"))
    #expect(!matches("a*b", .like, "a\\*b"))
    // Many stars must not take exponential time.
    let text = String(repeating: "a", count: 2000)
    #expect(!matches(text, .like, String(repeating: "a*", count: 20) + "b"))
  }
}
