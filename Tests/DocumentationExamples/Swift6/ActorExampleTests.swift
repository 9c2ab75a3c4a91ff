// SPDX-License-Identifier: Apache-2.0

// The examples of the page about actors.

import Foundation
import RealmSwift
import RealmTestSupport
import Testing

/// A sendable picture of an errand.
private struct ErrandStruct: Sendable {
  var id: ObjectId
  var name, owner, status: String
}

private actor ErrandActor {
  // An implicitly-unwrapped optional is used here to let us pass `self` to
  // `Realm(actor:)` within `init`
  var realm: Realm!
  init() async throws {
    realm = try await Realm(actor: self)
  }

  var count: Int {
    realm.objects(Errand.self).count
  }

  func createErrand(name: String, owner: String, status: String) async throws {
    try await realm.asyncWrite {
      realm.create(
        Errand.self,
        value: [
          "_id": ObjectId.generate(),
          "name": name,
          "owner": owner,
          "status": status,
        ])
    }
  }

  func getOwner(forErrandNamed name: String) -> String {
    let errand = realm.objects(Errand.self).where {
      $0.name == name
    }.first!
    return errand.owner
  }

  func getErrandAsStruct(forErrandNamed name: String) -> ErrandStruct {
    let errand = realm.objects(Errand.self).where {
      $0.name == name
    }.first!
    return ErrandStruct(
      id: errand._id, name: errand.name, owner: errand.owner, status: errand.status)
  }

  func updateErrand(_id: ObjectId, name: String, owner: String, status: String) async throws {
    try await realm.asyncWrite {
      realm.create(
        Errand.self,
        value: [
          "_id": _id,
          "name": name,
          "owner": owner,
          "status": status,
        ], update: .modified)
    }
  }

  func deleteErrand(id: ObjectId) async throws {
    try await realm.asyncWrite {
      let errandToDelete = realm.object(ofType: Errand.self, forPrimaryKey: id)
      realm.delete(errandToDelete!)
    }
  }

  func close() {
    realm = nil
  }
}

// A simple example of a custom global actor
@globalActor private actor ErrandBackground: GlobalActor {
  #if EDITED
  static let shared = ErrandBackground()
  #else
  static var shared = ErrandBackground()
  #endif
}

@ErrandBackground private func backgroundThreadFunction() async throws {
  // Explicitly specifying the actor is required for anything that is not MainActor
  let realm = try await Realm(actor: ErrandBackground.shared)
  try await realm.asyncWrite {
    _ = realm.create(
      Errand.self,
      value: [
        "name": "Pledge fealty and service to Gondor",
        "owner": "Pippin",
        "status": "In Progress",
      ])
  }
  // Thread-confined Realms would sometimes throw an exception here, as we
  // may end up on a different thread after an `await`
  let count = realm.objects(Errand.self).count
  precondition(count == 1)
}

private actor SideActor {
  private(set) var heard: [String] = []

  func hear(_ text: String) { heard.append(text) }

  func deleteErrand(tsrToErrand tsr: ThreadSafeReference<Errand>) throws {
    let realm = try Realm()
    try realm.write {
      // Resolve the thread safe reference on the Actor where you want to use it.
      // Then, do something with the object.
      let errandOnActor = realm.resolve(tsr)
      realm.delete(errandOnActor!)
    }
  }

  func waitUntilHeard(_ prefix: String) async {
    for _ in 0..<15_000 where !heard.contains(where: { $0.hasPrefix(prefix) }) {
      try? await Task.sleep(for: .milliseconds(2))
    }
    precondition(heard.contains { $0.hasPrefix(prefix) }, "heard \(heard), not \(prefix)")
  }
}

@Suite(.timeLimit(.minutes(10))) nonisolated struct ActorExampleTests {
  @Test func openingForTheMainActor() async {
    await #expect(processExitsWith: .success) {
      let directory = try useDefaultRealm()
      defer { withExtendedLifetime(directory) {} }
      #if EDITED
      func useTheRealm(
        realm: Realm, isolation: isolated (any Actor)? = #isolation
      ) async throws { precondition(realm.isEmpty) }
      #else
      // Off the main actor, nothing can be read from it.
      func useTheRealm(realm: Realm) async throws { precondition(!realm.configuration.readOnly) }
      #endif

      @MainActor
      func mainThreadFunction() async throws {
        // These are identical: the async init produces a
        // MainActor-isolated Realm if no actor is supplied
        let realm1 = try await Realm()
        let realm2 = try await Realm(actor: MainActor.shared)
        precondition(realm1 == realm2)
        try await useTheRealm(realm: realm1)
      }
      try await mainThreadFunction()
    }
  }

  @Test func openingWithACustomizedConfiguration() async {
    await #expect(processExitsWith: .success) {
      let directory = try useDefaultRealm()
      defer { withExtendedLifetime(directory) {} }

      @MainActor
      func mainThreadFunction() async throws {
        let username = "Galadriel"
        // Customize the default realm config
        var config = Realm.Configuration.defaultConfiguration
        config.fileURL!.deleteLastPathComponent()
        config.fileURL!.appendPathComponent(username)
        config.fileURL!.appendPathExtension("realm")
        // Open an actor-isolated realm with a specific configuration
        let realm = try await Realm(configuration: config, actor: MainActor.shared)
        precondition(realm.isEmpty)
        precondition(FileManager.default.fileExists(atPath: config.fileURL!.path))
      }
      try await mainThreadFunction()
    }
  }

  @Test func aRealmActor() async {
    await #expect(processExitsWith: .success) {
      let directory = try useDefaultRealm()
      defer { withExtendedLifetime(directory) {} }

      func createObject(in actor: isolated ErrandActor) async throws {
        // Because this function is isolated to this actor, you can use
        // realm synchronously in this context without async/await keywords
        try actor.realm.write {
          actor.realm.create(
            Errand.self,
            value: [
              "name": "Keep it secret",
              "owner": "Frodo",
              "status": "In Progress",
            ])
        }
        precondition(actor.count == 1)
      }
      let actor = try await ErrandActor()
      try await createObject(in: actor)

      // Because this function is not isolated to this actor,
      // you must await operations completed on the actor
      try await actor.createErrand(
        name: "Take the ring to Mount Doom", owner: "Frodo", status: "In Progress")
      let count = await actor.count
      precondition(count == 2)
      let owner = await actor.getOwner(forErrandNamed: "Take the ring to Mount Doom")
      precondition(owner == "Frodo")

      let errand = await actor.getErrandAsStruct(forErrandNamed: "Take the ring to Mount Doom")
      try await actor.updateErrand(
        _id: errand.id, name: errand.name, owner: "Sam", status: "In Progress")
      let newOwner = await actor.getErrandAsStruct(forErrandNamed: errand.name).owner
      precondition(newOwner == "Sam")
      try await actor.deleteErrand(id: errand.id)
      let countAfterDeletion = await actor.count
      precondition(countAfterDeletion == 1)
      await actor.close()
    }
  }

  @Test func aGlobalActor() async {
    await #expect(processExitsWith: .success) {
      let directory = try useDefaultRealm()
      defer { withExtendedLifetime(directory) {} }
      @MainActor
      func mainThreadFunction() async throws {
        try await backgroundThreadFunction()
      }
      try await mainThreadFunction()
    }
  }

  @Test func passingAPrimaryKey() async {
    await #expect(processExitsWith: .success) {
      let directory = try useDefaultRealm()
      defer { withExtendedLifetime(directory) {} }
      @MainActor
      func mainThreadFunction() async throws {
        // Create an object off the main actor
        func createObject(in actor: isolated SideActor) async throws -> ObjectId {
          let realm = try await Realm(actor: actor)
          let newErrand = try await realm.asyncWrite {
            return realm.create(
              Errand.self,
              value: [
                "name": "Pledge fealty and service to Gondor",
                "owner": "Pippin",
                "status": "In Progress",
              ])
          }
          // Share the errand's primary key so we can easily query for it on another actor
          return newErrand._id
        }
        // Initialize an actor where you want to perform background work
        let actor = SideActor()
        let newErrandId = try await createObject(in: actor)
        let realm = try await Realm()
        let errandOnMainActor = realm.object(ofType: Errand.self, forPrimaryKey: newErrandId)
        precondition(errandOnMainActor?.owner == "Pippin")
      }
      try await mainThreadFunction()
    }
  }

  @Test func observingACollectionOnAnotherActor() async {
    await #expect(processExitsWith: .success) {
      let directory = try useDefaultRealm()
      defer { withExtendedLifetime(directory) {} }
      @MainActor
      func mainThreadFunction() async throws {
        let backgroundActor = SideActor()
        let realm = try await Realm()
        // Create an errand so there is something to observe
        try await realm.asyncWrite {
          realm.create(
            Errand.self,
            value: [
              "_id": ObjectId.generate(),
              "name": "Arrive safely in Bree",
              "owner": "Merry",
              "status": "In Progress",
            ])
        }
        // Get the collection of errands on the current actor
        let collection = realm.objects(Errand.self)
        // Register a notification token, providing the actor where you want to observe changes.
        // This is only required if you want to observe on a different actor.
        let token = await collection.observe(
          on: backgroundActor,
          { actor, changes in
            switch changes {
            case .initial:
              actor.hear("initial: \(changes)")
            case .update(_, let deletions, let insertions, let modifications):
              if !deletions.isEmpty {
                actor.hear("deleted: \(deletions)")
              } else if !insertions.isEmpty {
                actor.hear("inserted: \(insertions)")
              } else if !modifications.isEmpty {
                actor.hear("modified: \(modifications)")
              }
            case .error(let error):
              actor.hear("An error occurred: \(error.localizedDescription)")
            }
          })
        await backgroundActor.waitUntilHeard("initial")
        // Update an object to trigger the notification.
        // This example triggers a notification that the object is deleted.
        // We can pass a thread-safe reference to an object to update it on a different actor.
        let errand = collection.where {
          $0.name == "Arrive safely in Bree"
        }.first!
        let threadSafeReferenceToErrand = ThreadSafeReference(to: errand)
        try await backgroundActor.deleteErrand(tsrToErrand: threadSafeReferenceToErrand)
        await backgroundActor.waitUntilHeard("deleted: [0]")
        // Invalidate the token when done observing
        token.invalidate()
      }
      try await mainThreadFunction()
    }
  }

  @Test func observingAnObjectOnAnotherActor() async {
    await #expect(processExitsWith: .success) {
      let directory = try useDefaultRealm()
      defer { withExtendedLifetime(directory) {} }
      @MainActor
      func mainThreadFunction() async throws {
        // Initialize an instance of another actor
        // where you want to do background work
        let backgroundActor = SideActor()
        // Create an errand so there is something to observe
        let realm = try await Realm()
        let scourTheShire = try await realm.asyncWrite {
          return realm.create(
            Errand.self,
            value: [
              "_id": ObjectId.generate(),
              "name": "Scour the Shire",
              "owner": "Merry",
              "status": "In Progress",
            ])
        }
        // Register a notification token, providing the actor
        let token = await scourTheShire.observe(
          on: backgroundActor,
          { actor, change in
            switch change {
            case .change(let object, let properties):
              for property in properties {
                actor.hear(
                  "Property '\(property.name)' of object \(object) changed to "
                    + "'\(property.newValue!)'")
              }
            case .error(let error):
              actor.hear("An error occurred: \(error)")
            case .deleted:
              actor.hear("The object was deleted.")
            }
          })
        // Update the object to trigger the notification.
        // This triggers a notification that the object's `status` property has been changed.
        try await realm.asyncWrite {
          scourTheShire.status = "Complete"
        }
        await backgroundActor.waitUntilHeard("Property 'status' of object")
        // Invalidate the token when done observing
        token.invalidate()
      }
      try await mainThreadFunction()
    }
  }
}
