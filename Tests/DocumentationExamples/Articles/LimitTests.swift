// SPDX-License-Identifier: Apache-2.0

// Limits that the article "Limits" states and that no other test reaches through the public API.

import RealmSwift
import RealmTestSupport
import Testing

enum LimitArticle {
  /// A class whose name has 57 bytes, the most that a file takes.
  class LongestNameABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQRST: Object {
    @Persisted var value: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class TooLongNameABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQRSTU: Object {
    @Persisted var value: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Wide: Object {
    @Persisted var aPropertyWhoseNameHasMoreThanTheSixtyThreeBytesThatAreAllowedHere: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }
}

struct LimitTests {
  @Test func namesOfClasses() throws {
    typealias Longest = LimitArticle.LongestNameABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQRST
    typealias TooLong = LimitArticle.TooLongNameABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQRSTU
    #expect(Longest.className().utf8.count == 57 && TooLong.className().utf8.count == 58)
    let folder = try ArticleFolder()
    _ = try Realm(configuration: folder.configuration([Longest.self]))
    #expect(throws: Realm.Error.self) {
      try Realm(configuration: folder.configuration([TooLong.self], file: "long.realm"))
    }
  }

  @Test func namesOfProperties() throws {
    let folder = try ArticleFolder()
    #expect(throws: Realm.Error.self) {
      try Realm(configuration: folder.configuration([LimitArticle.Wide.self]))
    }
  }

  @Test func depthOfQueryStrings() throws {
    let folder = try ArticleFolder()
    let todos = try Realm(configuration: folder.configuration([Todo.self])).objects(Todo.self)
    func nested(_ depth: Int) -> String {
      String(repeating: "(", count: depth) + "isDone == true"
        + String(repeating: ")", count: depth)
    }
    #expect(try todos.filter(parsing: nested(100)).isEmpty)
    #expect(throws: QueryParsingError.self) { try todos.filter(parsing: nested(200)) }
  }
}
