// SPDX-License-Identifier: Apache-2.0

// A newcomer's app in a module whose default isolation is the main actor: a model for its views, an
// actor that imports, a server's function, a migration. None of it says `@MainActor`.

import Foundation
import RealmSwift
import RealmTestSupport
import Testing

/// What a view shows.
private final class ChapterList {
  let realm: Realm
  private(set) var titles: [String] = []
  private(set) var changeCount = 0
  private var token: NotificationToken?

  init(_ configuration: Realm.Configuration) throws {
    realm = try Realm(configuration: configuration)
    let open = realm.objects(Chapter.self).where { $0.priority != .low }
      .sorted(by: \.title)
    token = open.observe { [weak self] changes in
      switch changes {
      case .initial(let chapters): self?.show(chapters)
      case .update(let chapters, _, _, _): self?.show(chapters)
      case .error(let error): Issue.record(error)
      }
    }
  }

  private func show(_ chapters: Results<Chapter>) {
    titles = chapters.map(\.shownTitle)
    changeCount += 1
  }

  func add(_ title: String) throws {
    try realm.write {
      let chapter = Chapter(title: title)
      chapter.notes.append(Note(value: ["text": "new", "stars": 3]))
      chapter.marks["words"] = title.count
      realm.add(chapter)
    }
  }

  func rename(_ chapter: Chapter, to title: String) async throws {
    try await realm.asyncWrite { chapter.title = title }
  }
}

private actor Importer {
  private var realm: Realm!

  init(_ configuration: Realm.Configuration) async throws {
    realm = try await Realm(configuration: configuration, actor: self)
  }

  @discardableResult
  func add(_ titles: [String]) async throws -> Int {
    let last = Chapter(title: "last")
    try await realm.asyncWrite { realm in
      for title in titles { realm.add(Chapter(title: title, priority: .high)) }
      realm.add(last)
    }
    return realm.objects(Chapter.self).count
  }
}

/// A function of a server.
@concurrent private func serve(
  _ configuration: Realm.Configuration, _ title: String
) async throws -> [String] {
  let chapter = Chapter(title: title)
  try await Realm.write(to: configuration) { realm in realm.add(chapter) }
  return try await Realm.read(from: configuration) { realm in
    realm.objects(Chapter.self).sorted(byKeyPath: "title").map(\.title)
  }
}

@Suite(.timeLimit(.minutes(10))) struct NewcomerAppTests {
  private let directory: TemporaryDirectory
  private let configuration: Realm.Configuration

  init() throws {
    directory = try TemporaryDirectory()
    configuration = Realm.Configuration(
      fileURL: URL(fileURLWithPath: directory.file("book.realm")),
      objectTypes: [Chapter.self, Note.self, StoredSpot.self, OldShelf.self])
  }

  private func until(_ condition: () -> Bool) async throws {
    while !condition() { try await Task.sleep(for: .milliseconds(1)) }
  }

  @Test func aViewFollowsItsRealm() async throws {
    let list = try ChapterList(configuration)
    try await until { list.changeCount == 1 }
    #expect(list.titles.isEmpty)
    try list.add("Two")
    try await until { list.titles == ["Two"] }
    let importer = try await Importer(configuration)
    #expect(try await importer.add(["One", "Three"]) == 4)
    try await until { list.titles == ["One", "Three", "Two", "last"] }
    let chapter = try #require(list.realm.objects(Chapter.self).where { $0.title == "Two" }.first)
    try await list.rename(chapter, to: "Second")
    try await until { list.titles == ["One", "Second", "Three", "last"] }
    let shown = try await serve(configuration, "From elsewhere")
    #expect(shown == ["From elsewhere", "One", "Second", "Three", "last"])
  }

  @Test func valuesOfAllKindsAreStored() async throws {
    let realm = try await Realm(configuration: configuration)
    let first = Chapter(title: "First", priority: .high)
    first.tint = Tint(rgb: 255)
    first.spot = Spot(latitude: 1, longitude: 2)
    first.page = URL(string: "https://example.com/1")
    first.anything = .string("any")
    first.next = Chapter(title: "Next")
    first.isSelected = true
    try realm.write {
      realm.add(first)
      first.tags.insert(objectsIn: ["a", "b"])
      realm.create(OldShelf.self).chapters.append(first)
    }
    let found = realm.objects(Chapter.self).where {
      $0.tint == Tint(rgb: 255) && $0.priority == .high && $0.page != nil
    }
    #expect(found.count == 1 && found[0].spot.longitude == 2 && found[0].isSelected == false)
    #expect(first.next?.previous.first?.title == "First" && first.anything.stringValue == "any")
    let rows = realm.objects(ChapterRow.self).sorted(by: \.title)
    #expect(rows.map(\.title) == ["First", "Next"] && rows[0].nextTitle == "Next")
    #expect(realm.objects(OldShelf.self).first?.chapters.first?.title == "First")
    let next = try realm.objects(Chapter.self).filter(#Predicate { $0.title == "Next" })
    #expect(next.count == 1)
    let sections = realm.objects(Chapter.self).sectioned(by: \.priority)
    #expect(sections.allKeys == [.normal, .high])
    let text = String(decoding: try JSONEncoder().encode(Note()), as: UTF8.self)
    #expect(text.contains("\"text\""))
  }

  @Test func frozenObjectsAndReferencesGoElsewhere() async throws {
    let realm = try await Realm(configuration: configuration)
    let chapter = try realm.write { realm.create(Chapter.self, value: ["title": "One"]) }
    let reference = ThreadSafeReference(to: chapter)
    let configuration = configuration
    let title = try await Task.detached {
      let realm = try Realm(configuration: configuration, queue: nil)
      return realm.resolve(reference)?.title
    }.value
    #expect(title == "One")
    let snapshot = ObjectSnapshot(chapter)
    #expect(await Task.detached { snapshot.title }.value == "One")
  }

  @Test func aMigrationRunsWhereTheFileIsOpened() throws {
    do {
      let realm = try Realm(configuration: configuration)
      try realm.write { _ = realm.create(Chapter.self, value: ["title": "old"]) }
    }
    var newer = configuration
    newer.schemaVersion = 1
    newer.migrationBlock = { migration, oldVersion in
      migration.enumerateObjects(ofType: "Chapter") { old, new in
        new?["title"] = "\(old?["title"] ?? "") since \(oldVersion)"
      }
    }
    #expect(try Realm(configuration: newer).objects(Chapter.self).first?.title == "old since 0")
  }
}
