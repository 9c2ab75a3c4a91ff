// SPDX-License-Identifier: Apache-2.0

// The steps of the tour, on the main actor.

import Foundation
import RealmSwift

/// Runs the patterns in order.
@MainActor
struct Tour {
  private let configuration: Realm.Configuration

  init(_ configuration: Realm.Configuration) { self.configuration = configuration }

  func run() async throws {
    let depot = try await Depot(configuration)
    let ids = try await useAnActor(depot)
    try await handOver(depot, ids)
    try await watchFromHere(depot)
    try await watchElsewhere()
    try await writeWithCallbacks()
    try await freeze()
    try await cancel(depot)
    await depot.close()
    print("All patterns work.")
  }

  // MARK: - Actors of one's own

  private func useAnActor(_ depot: Depot) async throws -> [ObjectId] {
    var ids: [ObjectId] = []
    for (town, weight) in [("Lyon", 2.5), ("Lyon", 0.3), ("Oslo", 7.0), ("Porto", 1.2)] {
      ids.append(try await depot.takeIn(town: town, weight: weight))
    }
    let cleared = try await clear(depot, town: "Porto")
    try expect(cleared == 1, "cleared \(cleared)")
    let inventory = await depot.inventory()
    try expect(inventory == ["Lyon": 2, "Oslo": 1], "\(inventory)")
    print("1. An actor with its own realm took in \(inventory.count) towns' parcels.")

    // The main actor has a realm of its own over the same file.
    let realm = try await Realm(configuration: configuration)
    await realm.asyncRefresh()
    try expect(realm.objects(Parcel.self).count == 3, "three parcels")
    print("2. The main actor's realm shows them: \(realm.objects(Parcel.self).count).")

    let delivered = try await archiveDelivered([ids[2]], configuration)
    try expect(delivered == 1, "delivered \(delivered)")
    print("3. A global actor marked \(delivered) as delivered.")
    return Array(ids.prefix(3))
  }

  // MARK: - Across isolation domains

  private func handOver(_ depot: Depot, _ ids: [ObjectId]) async throws {
    let realm = try await Realm(configuration: configuration)
    await realm.asyncRefresh()

    // A key, or a value copy: values can be sent to any actor.
    let picture = await depot.picture(of: ids[2])
    try expect(picture?.status == .delivered, "\(String(describing: picture))")
    print("4. A key went to the actor, a picture of the parcel came back: \(picture?.town ?? "").")

    // An object: by a reference, which is resolved once.
    guard
      let parcel = realm.objects(Parcel.self).where({ $0.weight > 2 && $0.town == "Lyon" }).first
    else { throw UnexpectedResult(description: "no heavy parcel for Lyon") }
    try await depot.send(ThreadSafeReference(to: parcel))
    await realm.asyncRefresh()
    try expect(parcel.status == .onTheWay, "\(parcel)")
    print("5. A reference went there, and the parcel here is \(parcel.status).")

    // Or wrapped: it can be used on any actor, any number of times.
    let wrapped = ThreadSafe(wrappedValue: parcel)
    let town = await Task.detached { wrapped.wrappedValue?.town }.value
    try expect(town == "Lyon", "\(town ?? "nil")")
    print("6. A wrapped object was read in a detached task: \(town ?? "").")
  }

  // MARK: - Watching

  private func watchFromHere(_ depot: Depot) async throws {
    let realm = try await Realm(configuration: configuration)
    let waiting = realm.objects(Parcel.self).where { $0.status == .waiting }
    let writer = Task {
      for weight in 1...3 { _ = try await depot.takeIn(town: "Turin", weight: Double(weight)) }
    }
    var seen = -1
    for await change in waiting.changes() {
      switch change {
      case .initial(let parcels): seen = parcels.count
      case .update(_, let deletions, let insertions, _): seen += insertions.count - deletions.count
      case .error(let error): throw error
      }
      if seen == 4 { break }
    }
    try await writer.value
    try expect(waiting.count == 4, "\(waiting.count) wait")
    print("7. A sequence of changes told of parcels as they came; \(seen) wait.")
  }

  private func watchElsewhere() async throws {
    let realm = try await Realm(configuration: configuration)
    let couriers = realm.objects(Courier.self)
    let token = await couriers.observe(on: Archive.shared) { archive, change in
      switch change {
      case .initial(let couriers): archive.note("\(couriers.count) couriers")
      case .update(let couriers, _, _, _): archive.note("now \(couriers.count)")
      case .error(let error): archive.note("\(error)")
      }
    }
    try await realm.asyncWrite {
      realm.create(Courier.self, value: ["name": "Ada"])
    }
    var notes: [String] = []
    for _ in 0..<1000 where notes.last != "now 1" && notes != ["1 couriers"] {
      try await Task.sleep(for: .milliseconds(5))
      notes = await Archive.shared.notes
    }
    token.invalidate()
    try expect(notes.last == "now 1" || notes == ["1 couriers"], "\(notes)")
    print("8. Another actor was told of the couriers: \(notes.joined(separator: ", ")).")
  }

  // MARK: - Callbacks

  private func writeWithCallbacks() async throws {
    let realm = try await Realm(configuration: configuration)
    guard let courier = realm.object(ofType: Courier.self, forPrimaryKey: "Ada") else {
      throw UnexpectedResult(description: "no courier")
    }
    // The blocks run here, when it is their turn; the wait for the disk is elsewhere.
    let count = try await withCheckedThrowingContinuation {
      (done: CheckedContinuation<Int, any Error>) in
      realm.writeAsync {
        courier.parcels.append(objectsIn: realm.objects(Parcel.self).where { $0.town == "Turin" })
      } onComplete: { error in
        if let error {
          done.resume(throwing: error)
        } else {
          done.resume(returning: courier.parcels.count)
        }
      }
    }
    try expect(count == 3, "\(count) parcels")
    print("9. A callback said that \(count) parcels are safely \(courier.name)'s.")
  }

  // MARK: - Versions

  private func freeze() async throws {
    let realm = try await Realm(configuration: configuration)
    let snapshot = realm.snapshot { realm in
      realm.objects(Parcel.self).map(\.weight).reduce(0, +)
    }
    let frozen = realm.objects(Parcel.self).freeze()
    try await realm.asyncWrite { realm.delete(realm.objects(Parcel.self)) }
    try expect(realm.objects(Parcel.self).isEmpty, "parcels are left")
    try expect(frozen.map(\.weight).reduce(0, +) == snapshot, "the frozen parcels changed")
    print(
      "10. The parcels are gone, but not from what was frozen: \(frozen.count), \(snapshot) kg.")
  }

  private func cancel(_ depot: Depot) async throws {
    let task = Task { try await depot.takeIn(town: "Nowhere", weight: 1) }
    task.cancel()
    let result = await task.result
    // The task may have finished before: then the parcel is there.
    let isThere = await depot.inventory()["Nowhere"] == 1
    switch result {
    case .success: try expect(isThere, "the parcel is missing")
    case .failure(let error):
      try expect(error is CancellationError && !isThere, "\(error)")
    }
    print("11. A cancelled task took its place in the queue of writers with it.")
  }
}
