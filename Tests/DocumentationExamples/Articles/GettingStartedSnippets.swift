// SPDX-License-Identifier: Apache-2.0

// The snippets of the article "Getting started".

import Foundation
import RealmSwift
import RealmTestSupport
import Testing

enum GettingStartedArticle {
  // snippet: getting-started-model
  class Book: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted(indexed: true) var title: String
    @Persisted var pages = 0
    @Persisted var finished: Date?
    @Persisted var author: Author?
    // snippet hide
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    // snippet show
  }

  class Author: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted(originProperty: "author") var books: LinkingObjects<Book>
    // snippet hide
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    // snippet show
  }
  // snippet end
}

@Suite(.timeLimit(.minutes(10))) struct GettingStartedSnippets {
  typealias Book = GettingStartedArticle.Book
  typealias Author = GettingStartedArticle.Author

  @Test func theStepsRun() async {
    await #expect(processExitsWith: .success) { try await Self.steps() }
  }

  @MainActor private static func steps() async throws {
    let folder = try ArticleFolder()
    Realm.Configuration.defaultConfiguration = folder.configuration([Book.self, Author.self])
    // snippet: getting-started-open
    let realm = try await Realm.open()
    // snippet end
    // snippet: getting-started-file
    func openLibrary(at url: URL) throws -> Realm {
      var configuration = Realm.Configuration(fileURL: url)
      configuration.objectTypes = [Book.self, Author.self]  // Without it: all classes.
      return try Realm(configuration: configuration)
    }
    // snippet end
    try require(openLibrary(at: folder.url("library.realm")).isEmpty)
    // snippet: getting-started-write
    try await realm.asyncWrite {
      let author = Author(value: ["name": "Ursula K. Le Guin"])
      let book = Book()
      book.title = "The Dispossessed"
      book.pages = 387
      book.author = author
      realm.add(book)  // Adds the author, too.

      // Or from values; a key that exists is updated instead of added.
      realm.create(
        Book.self,
        value: ["title": "Always Coming Home", "pages": 523, "author": author])
    }
    // snippet end
    try await readThem(realm)
    try await change(realm)
  }

  @MainActor private static func readThem(_ realm: Realm) async throws {
    // snippet: getting-started-read
    let long = realm.objects(Book.self)
      .where { $0.pages > 400 && $0.finished == nil }
      .sorted(by: \.title)
    print("\(long.count) long books to read")
    for book in long {
      print(book.title, book.author?.name ?? "anonymous")
    }
    let leGuin = realm.object(ofType: Author.self, forPrimaryKey: "Ursula K. Le Guin")
    print(leGuin?.books.sum(of: \.pages) ?? 0)
    // snippet end
    require(long.count == 1 && leGuin?.books.sum(of: \.pages) == 910)
  }

  @MainActor private static func change(_ realm: Realm) async throws {
    let long = realm.objects(Book.self).where { $0.pages > 400 }
    let book = long[0]
    // snippet: getting-started-observe
    let token = long.observe { changes in
      switch changes {
      case .initial(let books): print("Show \(books.count) books")
      case .update(_, let deletions, let insertions, let modifications):
        print("Remove \(deletions), insert \(insertions), redraw \(modifications)")
      case .error(let error): print(error)
      }
    }
    // snippet end
    // snippet: getting-started-change
    try await realm.asyncWrite {
      long.first?.finished = Date()
      realm.delete(realm.objects(Book.self).where { $0.pages == 0 })
    }
    // snippet end
    token.invalidate()
    require(book.finished != nil)
  }
}
