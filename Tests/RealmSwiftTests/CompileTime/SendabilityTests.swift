// SPDX-License-Identifier: Apache-2.0

// Which types may leave their thread, queue or actor, as the compiler sees it in Swift 6 mode.

import Foundation
import RealmSwiftTestSupport
import Testing

@Suite(
  .enabled(if: SwiftCompiler.executable != nil, "There is no Swift compiler on this machine"))
struct SendabilityTests {
  private static let models = """
    import Foundation
    import RealmSwift

    class Person: Object {
      @Persisted(primaryKey: true) var id: Int
      @Persisted var name: String
      @Persisted var dogs: List<Dog>
    }
    class Dog: Object {
      @Persisted var name: String
      @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
    }
    class Address: EmbeddedObject { @Persisted var street: String }
    class Card: Projection<Person> {
      @Projected(\\Person.name) var title
      @Projected(\\Person.dogs.projectTo.name) var dogNames: ProjectedCollection<String>
    }

    func requireSendable<T: Sendable>(_: T.Type) {}
    func use(_ anything: Any?) {}

    """

  private func check(_ program: String, _ depth: SwiftCompiler.Depth) throws {
    try SwiftCompiler.expectMarks(SendabilityTests.models + program, depth)
  }

  @Test func confinedTypesAreNotSendable() throws {
    try check(
      """
      func confined() {
        requireSendable(Realm.self)  // error: Sendable
        requireSendable(ObjectBase.self)  // error: Sendable
        requireSendable(Object.self)  // error: Sendable
        requireSendable(EmbeddedObject.self)  // error: Sendable
        requireSendable(Person.self)  // error: Sendable
        requireSendable(Address.self)  // error: Sendable
        requireSendable(List<Int>.self)  // error: Sendable
        requireSendable(List<Dog>.self)  // error: Sendable
        requireSendable(MutableSet<String>.self)  // error: Sendable
        requireSendable(Map<String, Int>.self)  // error: Sendable
        requireSendable(RealmMapChange<Map<String, Int>>.self)  // error: Sendable
        requireSendable(Results<Person>.self)  // error: Sendable
        requireSendable(LinkingObjects<Person>.self)  // error: Sendable
        requireSendable(AnyRealmCollection<Person>.self)  // error: Sendable
        requireSendable(SectionedResults<String, Person>.self)  // error: Sendable
        requireSendable(ResultsSection<String, Person>.self)  // error: Sendable
        requireSendable(Card.self)  // error: Sendable
        requireSendable(ProjectedCollection<String>.self)  // error: Sendable
        requireSendable(AnyRealmValue.self)  // error: Sendable
        requireSendable(PropertyChange.self)  // error: Sendable
        requireSendable(ObjectChange<Person>.self)  // error: Sendable
        requireSendable(RealmCollectionChange<Results<Person>>.self)  // error: Sendable
        requireSendable(RLMIterator<Person>.self)  // error: Sendable
      }

      @MainActor func passToAQueue(_ person: Person) {
        let frozen = person.freeze()
        DispatchQueue.global().async { use(frozen.name) }  // error: non-Sendable
      }

      nonisolated func writeWithoutActor(_ realm: Realm) async throws {
        try await realm.asyncWrite {}  // error: any Actor
        await realm.asyncRefresh()  // error: any Actor
      }

      func letOutOfSnapshot(_ realm: Realm, _ person: Person) throws {
        use(realm.snapshot { $0.objects(Person.self) })  // error: Sendable
        use(try Realm.snapshot { $0.objects(Person.self).first })  // error: Sendable
        realm.snapshot { _ in use(person) }  // error: non-Sendable
        var stolen: Person?
        realm.snapshot { stolen = $0.objects(Person.self).first }  // error: captured var
        use(stolen)
      }

      @MainActor func captureWrapper(_ person: Person) {
        @ThreadSafe var reference = person
        DispatchQueue.global().async { use(reference?.name) }  // error: captured var
      }
      """, .types)
  }

  @Test func confinedValuesStayWhereTheyAre() throws {
    try check(
      """
      actor Keeper {
        var realm: Realm!
        func find() -> Person? { realm.objects(Person.self).first }
        func take(_ person: Person) { use(person) }
      }

      @MainActor func passToAnActor(_ keeper: Keeper, _ person: Person) async {
        await keeper.take(person)  // error: sending
      }

      func takeFromAnActor(_ keeper: Keeper) async {
        use(await keeper.find())  // error: Person
      }

      @MainActor func passToATask(_ realm: Realm) {
        Task.detached { use(realm.isEmpty) }  // error: risk
      }

      func openForAnother(_ keeper: Keeper) async throws {
        use(try await Realm(actor: keeper))  // error: Realm
      }
      """, .flow)
  }

  @Test func codeOfNoActorReadsAndWrites() throws {
    try check(
      """
      nonisolated func serve(
        _ configuration: Realm.Configuration, _ name: String
      ) async throws -> Int {
        let person = Person()
        person.name = name
        try await Realm.write(to: configuration) { realm in realm.add(person) }
        let id = try await Realm.write { $0.create(Person.self, value: [1, name]).id }
        return try await Realm.read(from: configuration) { $0.objects(Person.self).count } + id
      }

      @MainActor func serveFromAnActor() async throws -> [String] {
        try await Realm.write { $0.deleteAll() }
        return try await Realm.read { Array($0.objects(Person.self).map(\\.name)) }
      }

      actor Shop {
        private var realm: Realm!
        func add(_ name: String) async throws -> Int {
          let customer = Person()
          customer.name = name
          return try await realm.asyncWrite { realm in
            realm.add(customer)
            return customer.id
          }
        }
        func addTwo() async throws {
          try await realm.asyncWrite { $0.create(Person.self, value: ["id": 1]) }
          try await realm.asyncWrite { realm.create(Person.self, value: ["id": 2]) }
          try await realm.asyncWrite {}
        }
      }
      """, .flow)
    try check(
      """
      func letOut() async throws {
        use(try await Realm.read { $0.objects(Person.self) })  // error: Sendable
        use(try await Realm.write { $0.create(Person.self) })  // error: Sendable
      }
      """, .types)
    try check(
      """
      func useAfterwards(_ configuration: Realm.Configuration) async throws {
        let person = Person()
        try await Realm.write(to: configuration) { realm in realm.add(person) }  // error: risk
        use(person.name)
      }

      actor Keeper {
        var realm: Realm!
        func letIn() async throws {
          let person = realm.objects(Person.self).first
          try await Realm.write { _ in use(person?.name) }  // error: risk
        }
      }
      """, .flow)
  }

  @Test func whatTheDocumentationAllowsCompiles() throws {
    try check(SendabilityTests.sendables + SendabilityTests.patterns, .flow)
  }

  private static let sendables = """
    func sendables() {
      requireSendable(ObjectId.self)
      requireSendable(ObjectSnapshot<Person>.self)
      requireSendable(PersistentID<Person>.self)
      requireSendable(Decimal128.self)
      requireSendable(UUID.self)
      requireSendable(ThreadSafe<Person>.self)
      requireSendable(ThreadSafe<List<Int>>.self)
      requireSendable(ThreadSafeReference<Person>.self)
      requireSendable(ThreadSafeReference<Address>.self)
      requireSendable(ThreadSafeReference<List<Dog>>.self)
      requireSendable(ThreadSafeReference<Results<Person>>.self)
      requireSendable(ThreadSafeReference<LinkingObjects<Person>>.self)
      requireSendable(Realm.Configuration.self)
      requireSendable(Realm.OpenBehavior.self)
      requireSendable(Realm.UpdatePolicy.self)
      requireSendable(Realm.Error.self)
      requireSendable(NotificationToken.self)
      requireSendable(SortDescriptor.self)
      requireSendable(PropertyType.self)
      requireSendable(StringOptions.self)
    }

    """

  private static let patterns = """
    struct Summary: Sendable {
      let id: Int
      let name: String
    }

    actor Keeper {
      var realm: Realm!
      init() async throws { realm = try await Realm(actor: self) }

      func add(_ id: Int) async throws {
        let person = try await realm.asyncWrite {
          realm.create(Person.self, value: ["id": id])
        }
        use(person.name)
      }

      func rename(_ reference: ThreadSafeReference<Person>) throws {
        try realm.write { realm.resolve(reference)?.name = "Jane" }
      }

      func summaries() -> [Summary] {
        realm.objects(Person.self).map { Summary(id: $0.id, name: $0.name) }
      }

      func close() { realm = nil }
    }

    func loadInIsolation(_ keeper: isolated Keeper) throws {
      try keeper.realm.write { use(keeper.realm.objects(Person.self).count) }
    }

    @MainActor func handOver(_ person: Person, _ keeper: Keeper) async throws {
      try await keeper.rename(ThreadSafeReference(to: person))
      @ThreadSafe var reference = person
      DispatchQueue.global().async { [_reference] in
        let realm = try! Realm()
        try! realm.write { _reference.wrappedValue?.name = "Jane" }
      }
      try await rename(person: person)
      try await keeper.add(person.id)
      use(await keeper.summaries().count)
    }

    @MainActor func rename(@ThreadSafe person: Person?) async throws {
      let realm = try await Realm()
      try realm.write { person?.name = "Janet" }
    }

    func summarize(_ realm: Realm, name: String) throws -> [Summary] {
      let count = realm.snapshot { $0.objects(Person.self).where { $0.name == name }.count }
      return try Realm.snapshot { realm in
        use(count)
        return realm.objects(Person.self).map { Summary(id: $0.id, name: $0.name) }
      }
    }

    extension ThreadConfined {
      func liveOrNil() -> Self? { isFrozen ? thaw() : self }
    }

    func freezeAndThaw(_ realm: Realm, _ person: Person, _ dogs: List<Dog>) {
      let frozen: (Realm, Person, List<Dog>) = (realm.freeze(), person.freeze(), dogs.freeze())
      let thawed: (Realm, Person?, List<Dog>?) = (
        frozen.0.thaw(), frozen.1.thaw(), frozen.2.thaw()
      )
      let results: Results<Person>? = realm.freeze(realm.objects(Person.self)).thaw()
      use((thawed, results, realm.freeze(person), realm.thaw(person), realm.thaw(dogs)))
    }
    """
}
