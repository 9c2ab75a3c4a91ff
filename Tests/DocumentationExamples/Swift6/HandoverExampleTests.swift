// SPDX-License-Identifier: Apache-2.0

// The examples of the page about threading: passing instances across threads.

import Foundation
import RealmSwift
import RealmTestSupport
import Testing

/// The page's own example of an extension that hides what handing over takes. It must not be mixed
/// up with the `writeAsync` of the library.
nonisolated extension Realm {
  #if EDITED
  fileprivate typealias Handler = @Sendable (_ error: Swift.Error) -> Void
  fileprivate typealias Block<T> = @Sendable (Realm, T?) -> Void
  #else
  fileprivate typealias Handler = (_ error: Swift.Error) -> Void
  fileprivate typealias Block<T> = (Realm, T?) -> Void
  #endif

  fileprivate func writeAsync<T: ThreadConfined>(
    _ passedObject: T, errorHandler: @escaping Handler = { _ in return }, block: @escaping Block<T>
  ) {
    let objectReference = ThreadSafeReference(to: passedObject)
    let configuration = self.configuration
    DispatchQueue(label: "background", autoreleaseFrequency: .workItem).async {
      do {
        let realm = try Realm(configuration: configuration)
        try realm.write {
          // Resolve within the transaction to ensure you get the latest changes from other threads
          let object = realm.resolve(objectReference)
          block(realm, object)
        }
      } catch {
        errorHandler(error)
      }
    }
  }
}

@Suite(.timeLimit(.minutes(10))) nonisolated struct HandoverExampleTests {
  @Test func theThreadSafeWrapper() async {
    await #expect(processExitsWith: .success) {
      let directory = try useDefaultRealm()
      defer { withExtendedLifetime(directory) {} }
      let gate = Gate()
      try Self.renameInTheBackground(gate)
      await gate.wait()
      try Self.expectName("Jane Doe")
    }
  }

  private static func renameInTheBackground(_ gate: Gate) throws {
    let realm = try Realm()
    let person = Keeper(name: "Jane")
    try realm.write {
      realm.add(person)
    }
    // Create thread-safe reference to person
    let personRef = ThreadSafe(wrappedValue: person)
    // What is wrapped is always optional. If the referenced object is deleted,
    // it will be nil.
    precondition(personRef.wrappedValue?.name == "Jane")
    // Pass the reference to a background thread
    DispatchQueue(label: "background", autoreleaseFrequency: .workItem).async {
      do {
        let realm = try Realm()
        try realm.write {
          // Resolve within the transaction to ensure you get the
          // latest changes from other threads. If the person
          // object was deleted, personRef will be nil.
          guard let person = personRef.wrappedValue else {
            return  // person was deleted
          }
          person.name = "Jane Doe"
        }
        gate.open()
      } catch { preconditionFailure("\(error)") }
    }
  }

  private static func expectName(_ name: String) throws {
    let realm = try Realm()
    realm.refresh()
    precondition(realm.objects(Keeper.self).first?.name == name)
  }

  @Test func theThreadSafeWrapperAsAParameter() async {
    await #expect(processExitsWith: .success) {
      let directory = try useDefaultRealm()
      defer { withExtendedLifetime(directory) {} }
      try await Self.createAndUpdatePerson()
      try Self.expectName("Janet")
    }
  }

  private static func someLongCallToGetNewName() async -> String {
    return "Janet"
  }

  // As the page advises, on the main actor: that is where these realms live, in any language mode.

  @MainActor
  private static func loadNameInBackground(@ThreadSafe person: Keeper?) async throws {
    let newName = await someLongCallToGetNewName()
    let realm = try await Realm()
    try realm.write {
      person?.name = newName
    }
  }

  @MainActor
  private static func createAndUpdatePerson() async throws {
    let realm = try await Realm()
    let person = Keeper(name: "Jane")
    try realm.write {
      realm.add(person)
    }
    try await loadNameInBackground(person: person)
  }

  @Test func aThreadSafeReference() async {
    await #expect(processExitsWith: .success) {
      let directory = try useDefaultRealm()
      defer { withExtendedLifetime(directory) {} }
      let gate = Gate()
      try Self.renameByReference(gate)
      await gate.wait()
      try Self.expectName("Jane Doe")
    }
  }

  private static func renameByReference(_ gate: Gate) throws {
    let person = Keeper(name: "Jane")
    let realm = try Realm()
    try realm.write {
      realm.add(person)
    }
    // Create thread-safe reference to person
    let personRef = ThreadSafeReference(to: person)
    // Pass the reference to a background thread
    DispatchQueue(label: "background", autoreleaseFrequency: .workItem).async {
      do {
        let realm = try Realm()
        try realm.write {
          // Resolve within the transaction to ensure you get the latest changes from other threads
          guard let person = realm.resolve(personRef) else {
            return  // person was deleted
          }
          person.name = "Jane Doe"
        }
        gate.open()
      } catch { preconditionFailure("\(error)") }
    }
  }

  @Test func theExtensionOfThePage() async {
    await #expect(processExitsWith: .success) {
      let directory = try useDefaultRealm()
      defer { withExtendedLifetime(directory) {} }
      let gate = Gate()
      try Self.deleteReadLetters(gate)
      await gate.wait()
      // The gate opens inside the transaction.
      for _ in 0..<15_000 {
        let realm = try Self.letterSubjects()
        if realm == ["Kept"] { return }
        try await Task.sleep(for: .milliseconds(2))
      }
      preconditionFailure("the letters are still there")
    }
  }

  private static func letterSubjects() throws -> [String] {
    let realm = try Realm()
    realm.refresh()
    return realm.objects(Letter.self).map(\.subject)
  }

  private static func deleteReadLetters(_ gate: Gate) throws {
    let realm = try Realm()
    try realm.write {
      realm.create(Letter.self, value: ["subject": "Kept"])
      realm.create(Letter.self, value: ["subject": "Old", "read": true] as [String: Any])
    }
    let readLetters = realm.objects(Letter.self).where {
      $0.read == true
    }
    realm.writeAsync(readLetters) { (realm, readLetters) in
      defer { gate.open() }
      guard let readLetters = readLetters else {
        // Already deleted
        return
      }
      realm.delete(readLetters)
    }
  }
}
