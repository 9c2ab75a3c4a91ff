// SPDX-License-Identifier: Apache-2.0

// Subscriptions about numbers, at the edges where types differ: a server selects the objects that
// the device selects. A device whose own object the server does not select would lose it.

#if Server
import RealmStorage
import RealmSwift
import RealmSyncProtocol
import TestExtensions
import Testing

class Measure: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var row: String
  @Persisted var isOutside: Bool
  @Persisted var float: Float
  @Persisted var maybe: Float?
  @Persisted var floats: List<Float>
  @Persisted var double: Double
  @Persisted var doubles: List<Double>
  @Persisted var int: Int
  @Persisted var small: Int8
  @Persisted var decimal: Decimal128

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite(.timeLimit(.minutes(10))) struct NumericSubscriptionTests {
  /// A condition, and two objects: on its edge, and just outside.
  struct Row: Sendable {
    let name: String
    let condition: @Sendable (Query<Measure>) -> Query<Bool>
    let inside: @Sendable (Measure) -> Void
    let outside: @Sendable (Measure) -> Void

    init(
      _ name: String, _ condition: @escaping @Sendable (Query<Measure>) -> Query<Bool>,
      _ inside: @escaping @Sendable (Measure) -> Void,
      outside: @escaping @Sendable (Measure) -> Void
    ) {
      (self.name, self.condition, self.inside, self.outside) = (name, condition, inside, outside)
    }

    var subscription: QuerySubscription<Measure> {
      QuerySubscription(name: name) { $0.row == name && condition($0) }
    }
  }

  /// The first three are those of `cases/15`.
  static let rows = [
    Row("float >=", { $0.float >= 19.99 }, { $0.float = 19.99 }, outside: { $0.float = 19.98 }),
    Row("float in", { $0.float.in([0.1, 1.1]) }, { $0.float = 0.1 }, outside: { $0.float = 0.2 }),
    Row(
      "float in a list", { $0.floats.contains(1.1) }, { $0.floats.append(1.1) },
      outside: { $0.floats.append(1.2) }),
    Row("float ==", { $0.float == 0.7 }, { $0.float = 0.7 }, outside: { $0.float = 0.70001 }),
    Row(
      "large float", { $0.float == 16_777_216 }, { $0.float = 16_777_216 },
      outside: { $0.float = 16_777_218 }),
    Row("no float", { $0.maybe == nil }, { $0.maybe = nil }, outside: { $0.maybe = 0 }),
    Row("optional float", { $0.maybe <= 0.1 }, { $0.maybe = 0.1 }, outside: { $0.maybe = 0.10001 }),
    Row(
      "range of floats", { $0.float.contains(0.1...0.3) }, { $0.float = 0.3 },
      outside: { $0.float = 0.30001 }),
    Row(
      "double >=", { $0.double >= 19.99 }, { $0.double = 19.99 },
      outside: { $0.double = 19.989999771118164 }),
    Row(
      "double in", { $0.double.in([0.1]) }, { $0.double = 0.1 },
      outside: { $0.double = 0.10000000149011612 }),
    Row(
      "double in a list", { $0.doubles.contains(1.1) }, { $0.doubles.append(1.1) },
      outside: { $0.doubles.append(1.100000023841858) }),
    Row(
      "large integer", { $0.int == 9_007_199_254_740_993 }, { $0.int = 9_007_199_254_740_993 },
      outside: { $0.int = 9_007_199_254_740_992 }),
    Row("smallest", { $0.int <= .min }, { $0.int = .min }, outside: { $0.int = .min + 1 }),
    Row("byte", { $0.small == -128 }, { $0.small = -128 }, outside: { $0.small = 127 }),
    Row(
      "decimal ==", { $0.decimal == 19.99 }, { $0.decimal = 19.99 },
      outside: { $0.decimal = 19.990000001 }),
    Row(
      "decimal <", { $0.decimal < 0.3 }, { $0.decimal = 0.2999999999 },
      outside: { $0.decimal = 0.3 }),
  ]

  @MainActor private func open(
    _ device: AppDevice, _ subscriptions: @escaping @Sendable (SyncSubscriptionSet) -> Void
  ) async throws -> Realm {
    var configuration = device.user.flexibleSyncConfiguration(initialSubscriptions: subscriptions)
    configuration.objectTypes = [Measure.self]
    return try await Realm(configuration: configuration, downloadBeforeOpen: .always)
  }

  @MainActor private func add(_ isOutside: Bool, to realm: Realm) async throws {
    try realm.write {
      for row in Self.rows {
        let measure = Measure()
        (measure._id, measure.row, measure.isOutside) = (.generate(), row.name, isOutside)
        if isOutside { row.outside(measure) } else { row.inside(measure) }
        realm.add(measure)
      }
    }
    try await meet(realm)
  }

  @MainActor private func meet(_ realm: Realm) async throws {
    try await realm.syncSession?.wait(for: .upload)
    try await realm.syncSession?.wait(for: .download)
    await realm.asyncRefresh()
  }

  @Test @MainActor func serversSelectWhatDevicesSelect() async throws {
    let server = try await RunningServer(mode: .flexible)
    let each: @Sendable (SyncSubscriptionSet) -> Void = { set in
      for row in Self.rows { set.append(row.subscription) }
    }
    let device = try await AppDevice(server, "first")
    let realm = try await open(device, each)
    try await add(false, to: realm)
    // The server takes nothing back of what the device has made.
    expectEqual(device.errors.withLock { $0 }.map(\.message), [])
    let all = try await open(AppDevice(server, "all")) { $0.append(QuerySubscription<Measure>()) }
    try await add(true, to: all)
    expectEqual(all.objects(Measure.self).count, 2 * Self.rows.count)
    let other = try await open(AppDevice(server, "second"), each)
    try await meet(realm)
    for (name, realm) in [("first", realm), ("second", other)] {
      for row in Self.rows {
        let measures = realm.objects(Measure.self).where { $0.row == row.name }
        expectEqual(measures.map(\.isOutside), [false], "\(name): \(row.name)")
        expectEqual(measures.where(row.condition).count, 1, "\(name): \(row.name)")
        let here = all.objects(Measure.self).where { $0.row == row.name }.where(row.condition)
        expectEqual(here.map(\.isOutside), [false], "\(row.name)")
      }
    }
    try await server.stop()
  }
}
#endif
