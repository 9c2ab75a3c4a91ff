// SPDX-License-Identifier: Apache-2.0

// The snippets of the article "What changed since".

import Foundation
import RealmSwift
import RealmTestSupport
import Testing

class IndexedPage: Object {
  @Persisted(primaryKey: true) var path: String
  @Persisted var body: String
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct HistorySnippets {
  /// A search index that lives elsewhere.
  final class SearchIndex {
    var pages: [String: String] = [:]
    var token: Data?

    func remove(_ key: Any?) { pages[key as? String ?? ""] = nil }
    func add(_ page: IndexedPage?) { pages[page?.path ?? ""] = page?.body }
    func removeAll() { pages = [:] }
  }

  @Test func anIndexFollowsAFile() throws {
    typealias Page = IndexedPage
    let folder = try ArticleFolder()
    var configuration = folder.configuration([Page.self])
    // snippet: history-limit
    configuration.historyLimit = 10_000
    let realm = try Realm(configuration: configuration)
    // snippet end
    let index = SearchIndex()
    func update() throws {
      // snippet: history-start
      func readAll() throws {
        index.removeAll()
        for page in realm.objects(Page.self) { index.add(page) }
        index.token = try JSONEncoder().encode(realm.historyToken)
      }
      // snippet end
      // snippet: history-read
      guard let stored = index.token else { return try readAll() }
      let token = try JSONDecoder().decode(HistoryToken.self, from: stored)
      do {
        let changes = try realm.changes(since: token)
        for id in changes[Page.self].deletions { index.remove(id.primaryKey) }
        for id in changes[Page.self].insertions { index.add(realm[id]) }
        for page in changes[Page.self].modifications where page.propertyNames.contains("body") {
          index.add(realm[page.id])
        }
        index.token = try JSONEncoder().encode(changes.token)
      } catch is HistoryError {
        try readAll()
      }
      // snippet end
    }
    try realm.write {
      realm.add(Page(value: ["path": "a", "body": "first"]))
      realm.add(Page(value: ["path": "b", "body": "second"]))
    }
    try update()
    #expect(index.pages == ["a": "first", "b": "second"])
    try realm.write {
      realm.objects(Page.self).where { $0.path == "b" }.first?.body = "changed"
      realm.delete(realm.objects(Page.self).where { $0.path == "a" })
      realm.add(Page(value: ["path": "c", "body": "third"]))
    }
    try update()
    #expect(index.pages == ["b": "changed", "c": "third"])
  }
}
