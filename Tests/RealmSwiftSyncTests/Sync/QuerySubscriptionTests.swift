// SPDX-License-Identifier: Apache-2.0

// The texts of subscriptions: they stand alone, and mean what the program wrote.

#if Sync
import Foundation
import RealmSwiftTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@_spi(RealmTesting) @testable import RealmSwift

private final class Gauge: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var value: Float
  @Persisted var maybe: Float?
  @Persisted var double: Double
  @Persisted var list: List<Float>
  @Persisted var next: Gauge?
  @Persisted var parts: List<Gauge>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class Shelf: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var label: String
  @Persisted var isOpen: Bool
  @Persisted var weight: Float
  @Persisted var books: List<Volume>
  @Persisted var best: Volume?
  @Persisted var byName: Map<String, Volume?>
  @Persisted var any: AnyRealmValue

  override class func propertiesMapping() -> [String: String] {
    [
      "label": "shelf_label", "isOpen": "open", "weight": "kg", "books": "volumes", "best": "top",
      "byName": "index", "any": "value",
    ]
  }

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class Volume: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var pages: Int
  @Persisted var kg: Int
  @Persisted(originProperty: "books") var shelves: LinkingObjects<Shelf>

  override class func propertiesMapping() -> [String: String] { ["pages": "page_count"] }

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct QuerySubscriptionTests {
  /// A realm in memory with some todos.
  private static func realm() throws -> Realm {
    let realm = try Realm(
      configuration: Realm.Configuration(inMemoryIdentifier: "\(UUID())", objectTypes: [Todo.self]))
    try realm.write {
      for index in 0..<24 {
        let todo = Todo()
        todo._id = ObjectId.generate()
        todo.name = ["a", "b \"quoted\"", "c\\d", "Ü"][index % 4]
        todo.status = ["Open", "Done", "Late"][index % 3]
        todo.priority = index - 12
        todo.tags.insert(objectsIn: index % 2 == 0 ? ["red"] : ["blue", "green"])
        todo.extra["size"] = index
        realm.add(todo)
      }
    }
    return realm
  }

  /// Expects that the text of a subscription can be read without arguments, is its own text, and
  /// selects what the program's results have.
  private func expect(
    _ subscription: QuerySubscription<Todo>, selects results: Results<Todo>, in realm: Realm,
    _ location: SourceLocation = #_sourceLocation
  ) {
    let text = subscription.query
    let again = SubscriptionText.text(text, [])
    #expect(again == text, sourceLocation: location)
    let read = Set(realm.objects(Todo.self).filter(text).map(\._id))
    #expect(read == Set(results.map(\._id)), "\(text)", sourceLocation: location)
  }

  @Test func closuresKeepTheirMeaning() throws {
    let realm = try Self.realm()
    let (todos, id) = (realm.objects(Todo.self), try #require(realm.objects(Todo.self).first)._id)
    let queries: [(Query<Todo>) -> Query<Bool>] = [
      { $0.name == "b \"quoted\"" }, { $0.name == "c\\d" }, { $0.name == "Ü" },
      { $0.priority > 3 && $0.status != "Done" }, { !($0.priority <= -2 || $0.status == "Late") },
      { $0.name.contains("B", options: .caseInsensitive) }, { $0.name.starts(with: "c") },
      { $0.status.in(["Open", "Late"]) }, { $0.priority.contains(-3...4) },
      { $0.priority.contains(-3..<4) }, { $0.tags.contains("red") }, { $0._id == id },
      { $0.extra["size"] > 7 }, { $0.tags.count == 2 },
    ]
    for query in queries {
      expect(QuerySubscription<Todo>(query: query), selects: todos.where(query), in: realm)
    }
  }

  /// `cases/15`: servers that compare Floats with Doubles select what devices do.
  @Test func numbersBesideFloatsAreThoseOfTheDevice() throws {
    let typed: [((Query<Gauge>) -> Query<Bool>, String)] = [
      ({ $0.value >= 19.99 }, "(value >= 19.989999771118164)"),
      ({ $0.value == 2.5 }, "(value == 2.5)"),
      ({ $0.value.in([0.1, 1.1]) }, "(value IN {0.10000000149011612, 1.100000023841858})"),
      ({ $0.list.contains(1.1) }, "(1.100000023841858 IN list)"),
      (
        { $0.double == 0.1 && $0.maybe < 0.1 }, "((double == 0.1) && (maybe < 0.10000000149011612))"
      ),
      ({ $0.next.value != 0.1 }, "(next.value != 0.10000000149011612)"),
      (
        { ($0.parts.value > 1.1).count > 0 },
        "(SUBQUERY(parts, $col1, ($col1.value > 1.100000023841858)).@count > 0)"
      ),
    ]
    for (query, text) in typed {
      expectEqual(QuerySubscription<Gauge>(query: query).query, text)
      // What is read from the text is written so again.
      expectEqual(SubscriptionText.text(text, [], of: Gauge.self), text)
    }
    let formats: [(String, [Any], String)] = [
      ("value >= 19.99", [], "(value >= 19.989999771118164)"),
      ("value == %@", [0.1], "(value == 0.10000000149011612)"),
      ("value > 5", [], "(value > 5)"), ("value > 16777217", [], "(value > 16777216.0)"),
      ("0.1 < maybe", [], "(0.10000000149011612 < maybe)"), ("value == nil", [], "(value == nil)"),
      (
        "value BETWEEN {0.1, 2}", [], "(value BETWEEN {0.10000000149011612, 2})"
      ), ("value IN %@", [[0.1, 2]], "(value IN {0.10000000149011612, 2.0})"),
      ("double == 0.1", [], "(double == 0.1)"),
      (
        "SUBQUERY(parts, $p, value > 1.1 AND $p.double > $self.double).@count > 0", [],
        "(SUBQUERY(parts, $col1, ((value > 1.100000023841858) && ($col1.double > $self.double)))"
          + ".@count > 0)"
      ),
    ]
    for (format, arguments, text) in formats {
      expectEqual(SubscriptionText.text(format, arguments, of: Gauge.self), text, "\(format)")
    }
    // On the device they select the same objects.
    let realm = try Realm(
      configuration: Realm.Configuration(inMemoryIdentifier: "\(UUID())", objectTypes: [Gauge.self])
    )
    try realm.write {
      for value in [0.1, 1.1, 2.5, 19.99, 16_777_216] as [Float] {
        let gauge = realm.create(Gauge.self, value: ["_id": ObjectId.generate()])
        gauge.value = value
        gauge.list.append(value)
      }
    }
    let all = realm.objects(Gauge.self)
    for (query, text) in typed {
      expectEqual(Array(all.filter(text).map(\._id)), Array(all.where(query).map(\._id)), "\(text)")
    }
  }

  /// Each form of a key path; servers know the names of the file alone.
  private static let renamed: [(String, String)] = [
    ("label == 'a'", "(shelf_label == \"a\")"), ("'a' == label", "(\"a\" == shelf_label)"),
    ("isOpen == true", "(open == true)"), ("NOT label == 'a'", "(NOT shelf_label == \"a\")"),
    ("weight > 1.1 OR label != nil", "((kg > 1.100000023841858) || (shelf_label != nil))"),
    ("best.pages > 3", "(top.page_count > 3)"),
    ("ANY books.pages > 3", "(ANY volumes.page_count > 3)"),
    ("books.@count > 3", "(volumes.@count > 3)"),
    ("books.@sum.pages > 3", "(volumes.@sum.page_count > 3)"),
    ("books[0].pages == 3", "(volumes[0].page_count == 3)"),
    ("byName['label'].pages == 3", "(index['label'].page_count == 3)"),
    ("byName.@allKeys == 'label'", "(index.@allKeys == \"label\")"),
    ("any['label'] == 3", "(value['label'] == 3)"),
    ("any.@type == 'string'", "(value.@type == \"string\")"),
    ("label IN {'label', 'b'}", "(shelf_label IN {\"label\", \"b\"})"),
    ("best.pages BETWEEN {1, 2}", "(top.page_count BETWEEN {1, 2})"),
    ("best.pages + 1 > best.kg", "((top.page_count + 1) > top.kg)"),
    (
      "SUBQUERY(books, $b, $b.pages > 3 AND $b.kg > $self.best.pages).@count > 0",
      "(SUBQUERY(volumes, $col1, (($col1.page_count > 3) && ($col1.kg > $self.top.page_count)))"
        + ".@count > 0)"
    ),
    (
      "SUBQUERY(books, $b, pages > 3).@count > 0",
      "(SUBQUERY(volumes, $col1, ($col1.page_count > 3)).@count > 0)"
    ), ("unknown == 3", "(unknown == 3)"),
  ]

  @Test func pathsHaveTheNamesOfTheFile() async throws {
    for (format, text) in Self.renamed {
      expectEqual(SubscriptionText.text(format, [], of: Shelf.self), text, "\(format)")
    }
    let typed: [((Query<Shelf>) -> Query<Bool>, String)] = [
      ({ $0.label == "a" && $0.isOpen }, "((shelf_label == \"a\") && open == true)"),
      ({ !$0.isOpen }, "open == false"), ({ $0.best.pages > 3 }, "(top.page_count > 3)"),
      ({ $0.books.pages.max > 3 }, "(volumes.@max.page_count > 3)"),
      (
        { ($0.books.pages > 3).count > 0 },
        "(SUBQUERY(volumes, $col1, ($col1.page_count > 3)).@count > 0)"
      ),
    ]
    for (query, text) in typed {
      expectEqual(QuerySubscription<Shelf>(query: query).query, text)
    }
    // The other end of links has no column.
    expectEqual(
      QuerySubscription<Volume> { $0.shelves.label == "a" }.query,
      "(@links.Shelf.volumes.shelf_label == \"a\")")
    expectEqual(
      SubscriptionText.text("shelves.@count > 1", [], of: Volume.self),
      "(@links.Shelf.volumes.@count > 1)")
  }

  /// All calls that store a text, with a server that knows the names of the file alone.
  @Test @MainActor func subscriptionsAboutRenamedPropertiesAreAccepted() async throws {
    let app = try MemoryApp()
    let user = try await app.device("first").login(credentials: .anonymous)
    var configuration = user.flexibleSyncConfiguration {
      $0.append(QuerySubscription<Shelf>(name: "a") { $0.label == "a" })
      $0.first(named: "a")?.updateQuery(to: "label == %@", "b")
    }
    configuration.objectTypes = [Shelf.self, Volume.self]
    let realm = try await Realm(configuration: configuration, downloadBeforeOpen: .always)
    let set = realm.subscriptions
    expectTrue(set.first(ofType: Shelf.self, where: "label == 'b'") != nil)
    try await set.update {
      set.append(QuerySubscription<Shelf>(name: "b", where: "weight > 1"))
      set.append(QuerySubscription<Shelf>(name: "c", where: NSPredicate(format: "isOpen == true")))
      set.first(named: "a")?.updateQuery(to: NSPredicate(format: "label == 'c'"))
    }
    try await realm.objects(Shelf.self).where { $0.weight > 3 }.subscribe()
    try await realm.objects(Shelf.self).filter("label == 'e'").subscribe(name: "e")
    try realm.write {
      realm.create(
        Shelf.self, value: ["_id": ObjectId.generate(), "label": "c"] as [String: Any])
    }
    try await realm.syncSession?.wait(for: .upload)
    try await realm.syncSession?.wait(for: .download)
    realm.refresh()
    expectEqual(realm.objects(Shelf.self).map(\.label), ["c"])
    expectEqual(realm.subscriptions.count, 5)
    realm.objects(Shelf.self).where { $0.weight > 3 }.unsubscribe()
    expectEqual(realm.subscriptions.count, 4)
  }

  @Test func formatsKeepTheirMeaning() throws {
    let realm = try Self.realm()
    let todos = realm.objects(Todo.self)
    let formats: [(String, [Any])] = [
      ("name == %@ AND priority BETWEEN {%@, %@}", ["c\\d", -5, 5]), ("status IN %@", [["Open"]]),
      ("priority > 2 OR name BEGINSWITH[c] 'B'", []), ("ANY tags == %@", ["blue"]),
      ("%K == %@", ["status", "Late"]), ("name != nil", []),
    ]
    for (format, arguments) in formats {
      let subscription =
        switch arguments.count {
        case 0: QuerySubscription<Todo>(where: format)
        case 1: QuerySubscription<Todo>(where: format, arguments[0])
        case 2: QuerySubscription<Todo>(where: format, arguments[0], arguments[1])
        default:
          QuerySubscription<Todo>(where: format, arguments[0], arguments[1], arguments[2])
        }
      let results =
        switch arguments.count {
        case 0: todos.filter(format)
        case 1: todos.filter(format, arguments[0])
        case 2: todos.filter(format, arguments[0], arguments[1])
        default: todos.filter(format, arguments[0], arguments[1], arguments[2])
        }
      expect(subscription, selects: results, in: realm)
    }
  }

  @Test func equalConditionsHaveEqualTexts() {
    let closure = QuerySubscription<Todo> { $0.priority > 4 && $0.status == "Open" }
    let format = QuerySubscription<Todo>(where: "priority > %@ AND status == %@", 4, "Open")
    expectEqual(closure.query, format.query)
    expectTrue(closure.name == nil)
    expectEqual(QuerySubscription<Todo>(name: "n").name, "n")
  }

  /// Conditions are used at once, so that code of a class needs no `self.` in them.
  private final class Screen {
    let status = "Open"

    func subscription() -> QuerySubscription<Todo> { QuerySubscription { $0.status == status } }

    func change(_ set: SyncSubscriptionSet) {
      set.update {
        set.append(QuerySubscription<Todo>(name: "s") { $0.name == status })
        set.first(named: "s")?.updateQuery(toType: Todo.self) { $0.status == status }
      }
      expectEqual(set.first(ofType: Todo.self) { $0.status == status }?.name, "s")
      set.update { set.remove(ofType: Todo.self) { $0.status == status } }
      expectEqual(set.count, 0)
    }
  }

  @Test func conditionsDoNotEscape() async throws {
    let screen = Screen()
    expectEqual(
      screen.subscription().query, QuerySubscription<Todo>(where: "status == 'Open'").query)
    let configuration = try await MemoryApp().configuration("first") { _ in }
    func run() throws { screen.change(try Realm(configuration: configuration).subscriptions) }
    try run()
  }

  @Test func withoutConditionAllObjectsAreMeant() throws {
    let realm = try Self.realm()
    expect(QuerySubscription<Todo>(), selects: realm.objects(Todo.self), in: realm)
    expectEqual(QuerySubscription<Todo>().query, "TRUEPREDICATE")
  }

  @Test func whatHasNoTextIsRefused() async {
    await #expect(processExitsWith: .success) {
      for (format, start) in [
        ("TRUEPREDICATE SORT(name ASC)", "A subscription cannot be sorted or limited"),
        ("TRUEPREDICATE LIMIT(1)", "A subscription cannot be sorted or limited"),
      ] {
        let text = Traps.text { _ = QuerySubscription<Todo>(where: format) }
        precondition(text.hasPrefix(start), text)
      }
    }
  }
}
#endif
