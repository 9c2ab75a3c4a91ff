// SPDX-License-Identifier: Apache-2.0

// Events about users, kept for the triggers of an app.
//
// Invariants:
// 1. An event is stored in the transaction that it is about, so none is lost and none made up.
// 2. Numbers grow by one, and no number is given twice.
// 3. At most `countMax` events are kept: the oldest one goes for another.

#if Server
package import RealmFormats
package import RealmServerEngine
import RealmStorage
import RealmSyncProtocol
import RealmTables

/// An event about a user.
package struct AccountEvent: Hashable, Sendable {
  /// The kinds of events.
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    case create
    case login
    case delete
  }

  package static let countMax: UInt64 = 100_000

  package let number: UInt64
  package let kind: Kind
  /// The argument of triggers.
  package let document: BSONValue
  /// The triggers on the way to the event.
  package let depth: Int

  init?(_ row: RecordRow) throws(StorageError) {
    guard let kind = Kind(rawValue: try row.text("kind")),
      let document = try? ExtendedJSONReader.parse(row.text("event"))
    else { return nil }
    number = UInt64(bitPattern: row.key.rawValue)
    self.kind = kind
    self.document = document
    depth = Int(try row.optionalInteger("depth") ?? 0)
  }

  /// The events after a number.
  package struct Batch: Hashable, Sendable {
    package let events: [AccountEvent]
    /// The number of the newest removed event; 0 if none is.
    package let goneThrough: UInt64
    /// The number of the newest event; 0 before the first.
    package let last: UInt64
  }

  /// Stores an event.
  ///
  /// - Parameter provider: That of the login; nil for all of the user.
  static func record(
    _ kind: Kind, of account: Account, provider: String? = nil, at time: OriginTimestamp,
    in group: WriteGroup
  ) throws(StorageError) {
    guard let meta = try AccountTables.meta(in: group) else { return }
    let number = (try meta.optionalInteger("last_event") ?? 0) + 1
    var identities: [Identity] = []
    let table = try AccountTables.identities.table(in: group)
    for name in account.identities {
      guard let row = try table.find(.string(name.text)), let identity = try Identity(row) else {
        continue
      }
      identities.append(identity)
    }
    let user = FunctionUser(account, identities, customData: account.customData)
    let providers = provider.map { [$0] } ?? account.identities.map(\.provider)
    let elements = [
      BSONElement("operationType", .string(kind.rawValue.uppercased())),
      BSONElement("providers", .array(providers.map { .string($0) })),
      BSONElement("user", user.value),
      BSONElement("time", .date(unixMilliseconds: time.unixMilliseconds)),
    ]
    try meta.set(number, "last_event")
    let events = try AccountTables.events.table(in: group)
    let row = try events.create(under: ObjectKey(number))
    try row.set(kind.rawValue, "kind")
    try row.set(ExtendedJSONWriter.text(.document(elements)), "event")
    try row.set(Int64(CallChain.depth), "depth")
    var records = try events.records()
    if let first = try records.next()?.key, number - first.rawValue >= Int64(countMax) {
      try events.delete(first)
    }
  }
}

extension AccountStore {
  /// The number of the newest event; 0 before the first.
  package func lastEvent() throws(StoreError) -> UInt64 {
    try events(after: .max, count: 0).last
  }

  /// The oldest events after a number.
  package func events(
    after number: UInt64, count: Int
  ) throws(StoreError) -> AccountEvent.Batch {
    let group = try snapshot()
    return try StoreError.storing(Self.batch(in: group, number, count))
  }

  private static func batch(
    in group: TableGroup, _ number: UInt64, _ count: Int
  ) throws(StorageError) -> AccountEvent.Batch {
    let meta = try AccountTables.meta.table(in: group).find(.string("accounts"))
    let last = UInt64(bitPattern: try meta?.optionalInteger("last_event") ?? 0)
    let table = try AccountTables.events.table(in: group)
    var rows = try table.records()
    let first = try rows.next().map { UInt64(bitPattern: $0.key.rawValue) }
    var events: [AccountEvent] = []
    if number < last {
      var rows = try table.records(from: ObjectKey(Int64(number) + 1))
      while events.count < count, let row = try rows.next() {
        if let event = try AccountEvent(row) { events.append(event) }
      }
    }
    return AccountEvent.Batch(events: events, goneThrough: (first ?? last + 1) - 1, last: last)
  }

  /// Removes the events up to a number, after all triggers got them.
  package func forgetEvents(through number: UInt64) throws(StoreError) {
    guard number > 0, number <= Int64.max else { return }
    try change { (group) throws(StorageError) in
      let table = try AccountTables.events.table(in: group)
      let keys = try table.keys(in: ObjectKey(0)...ObjectKey(Int64(number)))
      guard !keys.isEmpty else { return false }
      try table.delete(keys)
      return true
    }
  }
}
#endif
