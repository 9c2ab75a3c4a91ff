// SPDX-License-Identifier: Apache-2.0

// The subscription sets of a file (P3 C.1).
//
// 1. There is at least one set. Versions ascend from 0.
// 2. Once a set has its bootstrap, there are no sets of lower versions.

package import RealmStorage
package import RealmSyncProtocol
package import RealmTables

/// The subscription sets of a file, in a write transaction.
package struct SubscriptionStore {
  fileprivate static let subscriptionLayout = RecordLayout(
    "flx_subscriptions", kind: .embedded,
    [
      RecordField("id", .objectId), RecordField("created_at", .timestamp),
      RecordField("updated_at", .timestamp), RecordField("name", .string, isNullable: true),
      RecordField("object_class", .string), RecordField("query", .string),
    ])
  fileprivate static let setLayout = RecordLayout(
    "flx_subscription_sets", hasPrimaryKey: true,
    [
      RecordField("version", .int), RecordField("state", .int),
      RecordField("snapshot_version", .int), RecordField("error", .string, isNullable: true),
      RecordField("subscriptions", .link, collection: .list, target: subscriptionLayout.name),
    ])
  private static let tables = InternalTables(
    name: "flx_subscription_store", version: 2, tables: [subscriptionLayout, setLayout])

  /// The names of the tables.
  static let tableNames = tables.tables.map(\.name)

  private let base: UInt64
  private let sets: RecordTable
  private let subscriptions: RecordTable

  /// The store of a file; nil for files without one.
  package init?(existingIn group: WriteGroup) throws(StorageError) {
    guard try Self.tables.exist(in: group) else { return nil }
    try self.init(group)
  }

  /// Makes the store if there is none, with the empty set of version 0.
  package static func make(in group: WriteGroup) throws(StorageError) -> SubscriptionStore {
    try tables.make(in: group)
    let store = try SubscriptionStore(group)
    if try store.versions().isEmpty { try store.add(0) }
    return store
  }

  private init(_ group: WriteGroup) throws(StorageError) {
    base = group.transaction.base.version
    sets = try Self.setLayout.table(in: group)
    subscriptions = try Self.subscriptionLayout.table(in: group)
  }

  /// Adds a pending set.
  package func add(
    _ version: UInt64, _ subscriptions: [StoredSubscription] = []
  ) throws(StorageError) {
    assert((try? versions().last ?? 0) ?? version <= version, "SubscriptionStore 1")
    let set = try sets.findOrCreate(.int(Int64(clamping: version)))
    try set.set(SubscriptionState.pending.rawValue, "state")
    try set.set(clamping: base, "snapshot_version")
    for subscription in subscriptions {
      let row = try set.append(to: "subscriptions", in: self.subscriptions)
      try row.set(.objectId(subscription.id), "id")
      try row.set(.timestamp(subscription.createdAt), "created_at")
      try row.set(.timestamp(subscription.updatedAt), "updated_at")
      try row.set(subscription.name, "name")
      try row.set(subscription.objectClass, "object_class")
      try row.set(subscription.query, "query")
    }
  }

  /// The versions of all sets, ascending.
  package func versions() throws(StorageError) -> [UInt64] {
    var versions: [UInt64] = []
    var records = try sets.records()
    while let set = try records.next() { versions.append(try set.natural("version")) }
    return versions.sorted()
  }

  private func find(_ version: UInt64) throws(StorageError) -> RecordRow? {
    try sets.find(.int(Int64(clamping: version)))
  }

  /// The state of the set of a version; nil if there is none.
  package func state(of version: UInt64) throws(StorageError) -> SubscriptionState? {
    guard let set = try find(version) else { return nil }
    return try SubscriptionState(of: set)
  }

  /// Changes the state of the set of a version, if there is one. Only an error has a text.
  package func setState(
    _ state: SubscriptionState, of version: UInt64, error: String? = nil
  ) throws(StorageError) {
    guard let set = try find(version) else { return }
    try set.set(state.rawValue, "state")
    try set.set(error, "error")
  }

  /// Notes a complete bootstrap: its set waits for the server's mark, and sets of lower versions
  /// go.
  package func completeBootstrap(of version: UInt64) throws(StorageError) {
    try setState(.awaitingMark, of: version)
    for old in try versions() where old < version {
      guard let key = try find(old)?.key else { continue }
      try sets.delete(key)
    }
  }

  /// Notes a client reset to a copy that has the objects of the active set: it is complete, and
  /// the only one, but for newer ones that are to be sent.
  package func completeReset(keepsNewer: Bool) throws(StorageError) {
    let versions = try versions()
    var active = versions.first ?? 0
    for version in versions {
      switch try state(of: version) {
      case .complete, .awaitingMark: active = version
      default: break
      }
    }
    for other in versions where other < active || other > active && !keepsNewer {
      guard let key = try find(other)?.key else { continue }
      try sets.delete(key)
    }
    try setState(.complete, of: active)
    // The server has not begun with newer sets of this file.
    for newer in versions where newer > active && keepsNewer {
      if try state(of: newer) == .bootstrapping { try setState(.pending, of: newer) }
    }
  }

  /// Changes the version up to which changes must be sent before a set is, in all sets.
  package func moveSnapshots(_ version: (UInt64) -> UInt64) throws(StorageError) {
    for number in try versions() {
      guard let set = try find(number) else { continue }
      try set.set(clamping: version(try set.natural("snapshot_version")), "snapshot_version")
    }
  }
}

// MARK: - Sets of a version

/// A stored subscription set, with its subscriptions.
package struct StoredSubscriptionSet: Hashable, Sendable {
  package var version: UInt64
  package var state: SubscriptionState
  /// The version of the file up to which changes must be sent before the set is.
  package var snapshotVersion: UInt64
  /// The server's explanation, if it refused the set.
  package var error: String?
  /// In the order of their addition.
  package var subscriptions: [StoredSubscription]

  /// The newest set of a version; nil if the file has none.
  package static func newest(in group: TableGroup) throws(StorageError) -> StoredSubscriptionSet? {
    try all(in: group).max { $0.version < $1.version }
  }

  /// All sets of a version, in no order.
  package static func all(in group: TableGroup) throws(StorageError) -> [StoredSubscriptionSet] {
    guard let sets = try SubscriptionStore.setLayout.find(in: group),
      let subscriptions = try SubscriptionStore.subscriptionLayout.find(in: group)
    else { return [] }
    var result: [StoredSubscriptionSet] = []
    var records = try sets.records()
    while let set = try records.next() {
      result.append(try StoredSubscriptionSet(set, subscriptions))
    }
    return result
  }

  private init(_ set: RecordRow, _ subscriptions: RecordTable) throws(StorageError) {
    version = try set.natural("version")
    state = try SubscriptionState(of: set)
    snapshotVersion = try set.natural("snapshot_version")
    error = try set.optionalText("error")
    self.subscriptions = []
    for row in try set.links("subscriptions", in: subscriptions) {
      self.subscriptions.append(try StoredSubscription(row))
    }
  }
}

/// The state of a stored subscription set.
package enum SubscriptionState: Int64, Hashable, Sendable {
  /// The server has not begun to send its objects.
  case pending = 1
  case bootstrapping = 2
  case complete = 3
  /// The server has refused it.
  case error = 4
  /// Everything is there, as far as the server had it when it was asked.
  case awaitingMark = 6

  /// The state of a stored set.
  init(of set: RecordRow) throws(StorageError) {
    let number = try set.integer("state")
    guard let state = SubscriptionState(rawValue: number) else {
      throw .corrupted("a subscription set has the state \(number)")
    }
    self = state
  }
}

/// A stored subscription.
package struct StoredSubscription: Hashable, Sendable {
  package var id: Bytes12
  package var createdAt: Timestamp
  package var updatedAt: Timestamp
  package var name: String?
  /// The class whose objects the query selects.
  package var objectClass: String
  package var query: String

  package init(
    id: Bytes12, createdAt: Timestamp, updatedAt: Timestamp, name: String? = nil,
    objectClass: String, query: String
  ) {
    self.id = id
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.name = name
    self.objectClass = objectClass
    self.query = query
  }

  fileprivate init(_ row: RecordRow) throws(StorageError) {
    self.init(
      id: try row.objectId("id"), createdAt: try row.timestamp("created_at"),
      updatedAt: try row.timestamp("updated_at"), name: try row.optionalText("name"),
      objectClass: try row.text("object_class"), query: try row.text("query"))
  }
}

extension QuerySet {
  /// All sets of a version, oldest first; none in files without subscriptions.
  package static func all(in group: TableGroup) throws(StorageError) -> [QuerySet] {
    try StoredSubscriptionSet.all(in: group).map { QuerySet($0) }
      .sorted { $0.version < $1.version }
  }

  fileprivate init(_ set: StoredSubscriptionSet) {
    self.init(
      version: set.version, state: set.state.state, snapshotVersion: set.snapshotVersion,
      text: QueryDocument(
        subscriptions: set.subscriptions.map { ($0.objectClass, $0.query) }
      ).text)
  }
}

extension SubscriptionState {
  fileprivate var state: QuerySet.State {
    switch self {
    case .pending: .pending
    case .bootstrapping: .bootstrapping
    case .complete: .complete
    case .error: .error
    case .awaitingMark: .awaitingMark
    }
  }
}
