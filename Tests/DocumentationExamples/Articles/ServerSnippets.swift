// SPDX-License-Identifier: Apache-2.0

// The snippets of the article "On the server".

import Foundation
import RealmSwift
import RealmTestSupport
import Testing

enum ServerArticle {
  // snippet: server-model
  class Order: Object {
    @Persisted(primaryKey: true) var id: UUID
    @Persisted(indexed: true) var customer: String
    @Persisted var lines: List<String>
    @Persisted var created: Date
    // snippet hide
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    // snippet show
  }
  // snippet end

  // snippet: server-orders
  struct OrderNotFound: Error {}

  actor Orders {
    private let configuration: Realm.Configuration
    private var realm: Realm!

    init(_ configuration: Realm.Configuration) async throws {
      self.configuration = configuration
      realm = try await Realm(configuration: configuration, actor: self)
    }

    /// A request's body becomes an object, or an error that names the key path.
    func create(_ json: [String: Any]) async throws -> UUID {
      try await realm.asyncWrite { try realm.create(Order.self, validating: json).id }
    }

    /// The object as `Codable` values.
    func order(_ id: UUID) throws -> ObjectSnapshot<Order> {
      guard let order = realm.object(ofType: Order.self, forPrimaryKey: id) else {
        throw OrderNotFound()
      }
      return ObjectSnapshot(order)
    }

    /// Reads do not wait for this actor: they run beside it, on the newest version.
    nonisolated func search(_ filter: String, limit: Int) async throws -> [ObjectSnapshot<Order>] {
      try await Realm.read(from: configuration) { realm in
        try realm.objects(Order.self).filter(parsing: filter).limit(limit).snapshots()
      }
    }

    /// The counts of a customer's orders, as they change, for server-sent events.
    func counts(of customer: String, _ send: @Sendable (Int) -> Void) async throws {
      for await change in realm.objects(Order.self).where({ $0.customer == customer }).changes() {
        switch change {
        case .initial(let orders), .update(let orders, _, _, _): send(orders.count)
        case .error(let error): throw error
        }
      }
    }
  }
  // snippet end
}

@Suite(.timeLimit(.minutes(10))) struct ServerSnippets {
  @Test func requestsAreAnswered() async throws {
    let folder = try ArticleFolder()
    let orders = try await ServerArticle.Orders(folder.configuration([ServerArticle.Order.self]))
    let id = try await orders.create(["customer": "Ada", "lines": ["tea"]])
    #expect(try await orders.order(id).customer == "Ada")
    #expect(try await orders.search("customer == 'Ada'", limit: 10).count == 1)
    await #expect(throws: QueryParsingError.self) {
      try await orders.search("customer ==", limit: 10)
    }
    await #expect(throws: ObjectValueError.self) { try await orders.create(["customer": 3]) }
    await #expect(throws: ServerArticle.OrderNotFound.self) { try await orders.order(UUID()) }
    let first = await withTaskGroup(of: Int?.self) { group in
      let (counts, sender) = AsyncStream.makeStream(of: Int.self)
      let sending = Task { try await orders.counts(of: "Ada") { sender.yield($0) } }
      defer { sending.cancel() }
      return await counts.first { _ in true }
    }
    #expect(first == 1)
  }

  @Test func handlersWithoutAnActor() async throws {
    let folder = try ArticleFolder()
    let configuration = folder.configuration([ServerArticle.Order.self])
    typealias Order = ServerArticle.Order
    let customer = "Ada"
    // snippet: server-any-task
    let id = try await Realm.write(to: configuration) { realm in
      realm.create(Order.self, value: ["customer": customer]).id
    }
    let count = try await Realm.read(from: configuration) { realm in
      realm.objects(Order.self).where { $0.customer == customer }.count
    }
    // snippet end
    #expect(count == 1 && id != UUID())
  }
}
