// SPDX-License-Identifier: Apache-2.0

// Changes of objects as the events of a trigger.
//
// Invariants:
// 1. The document before a change is exact, or it is not there: unknown values are
//    left out of it.

#if Server
import RealmFormats
import RealmReplication
import RealmServerEngine
import RealmStorage
import RealmSyncProtocol
import RealmTables

/// Makes the events of one version of a realm.
struct TriggerEvents: Sendable {
  let trigger: DatabaseTrigger
  let match: DocumentQuery?
  let partition: DocumentPartition?
  let entry: StoredEntry

  /// The events of some changes, as far as the trigger asks for them.
  ///
  /// - Parameters:
  ///   - first: The number of the first change among those of the version.
  ///   - history: The entries from this one to the snapshot; nil if they are not at hand.
  func events(
    _ changes: [TriggerChange], first: Int, in snapshot: RealmSnapshot, history: [StoredEntry]?,
    _ work: inout DocumentWork
  ) throws(DocumentError) -> [BSONValue?] {
    let collection = try DocumentCollection(
      trigger.collection, in: snapshot.objects, nil, partition)
    var events: [BSONValue?] = []
    for (number, change) in changes.enumerated() {
      guard trigger.operations.contains(change.operation) else {
        events.append(nil)
        continue
      }
      let event = try event(change, number: first + number, collection, history)
      let isWanted = try match?.matches(event, &work) ?? true
      events.append(isWanted ? event : nil)
    }
    return events
  }

  private func event(
    _ change: TriggerChange, number: Int, _ collection: DocumentCollection?,
    _ history: [StoredEntry]?
  ) throws(DocumentError) -> BSONValue {
    var document: BSONValue?
    if case .value(let key) = change.object.key, let found = try collection?.key(of: key) {
      document = try collection?.document(of: found)
    }
    let token = [entry.version, entry.salt, UInt64(number)].map { String($0, radix: 16) }
    var elements = [
      BSONElement(
        "_id", .document([BSONElement("_data", .string(token.joined(separator: "-")))])),
      BSONElement("operationType", .string(change.operation.rawValue)),
      BSONElement(
        "ns",
        .document([
          BSONElement("db", .string(trigger.database)),
          BSONElement("coll", .string(trigger.collection)),
        ])),
      BSONElement(
        "documentKey", .document([BSONElement("_id", ChangeEvents.id(change.object))])),
    ]
    if trigger.fullDocument, change.operation != .delete {
      elements.append(BSONElement("fullDocument", document ?? .null))
    }
    if change.operation == .update {
      elements.append(
        BSONElement("updateDescription", ChangeEvents.description(of: change.fields, document)))
    }
    if trigger.documentBefore, change.operation != .insert {
      let before = try before(change, document, collection, history)
      elements.append(BSONElement("fullDocumentBeforeChange", before ?? .null))
    }
    if let partition { elements.append(BSONElement("partition", partition.value)) }
    elements.append(
      BSONElement("wallTime", .date(unixMilliseconds: entry.committed.unixMilliseconds)))
    return .document(elements)
  }

  // MARK: The document before

  /// The document before a change; nil if the history does not have it.
  private func before(
    _ change: TriggerChange, _ document: BSONValue?, _ collection: DocumentCollection?,
    _ history: [StoredEntry]?
  ) throws(DocumentError) -> BSONValue? {
    guard let collection else { return nil }
    var past = PastDocument(document, collection)
    if change.operation == .delete, let touch = touch(of: change, in: entry) {
      // An erasure kept all values.
      try past.undo(touch, fields: [])
      return past.document(ChangeEvents.id(change.object), partition)
    }
    guard let history else { return nil }
    for later in history.reversed() {
      let touch = touch(of: change, in: later)
      let fields = try fields(of: change, in: later, collection)
      guard let touch else {
        if fields.isEmpty { continue }
        return nil
      }
      guard try past.undo(touch, fields: fields) else { return nil }
    }
    return past.document(ChangeEvents.id(change.object), partition)
  }

  /// The properties of an object with a write in a version.
  private func fields(
    of change: TriggerChange, in entry: StoredEntry, _ collection: DocumentCollection
  ) throws(DocumentError) -> [String] {
    let changes: [TriggerChange]
    do throws(StoreError) {
      changes = try TriggerChange.all(in: entry, ofClass: trigger.collection)
    } catch {
      throw .store(error)
    }
    guard let found = changes.first(where: { $0.object == change.object }) else { return [] }
    return found.operation == .replace ? collection.schema.columns.map(\.name) : found.fields
  }

  private func touch(of change: TriggerChange, in entry: StoredEntry) -> Touch? {
    entry.touches.first { $0.object == change.object }
  }
}

/// A document on its way back through the history.
private struct PastDocument {
  private let collection: DocumentCollection
  /// Nil while there is no object.
  private var elements: [BSONElement]?

  init(_ document: BSONValue?, _ collection: DocumentCollection) {
    self.collection = collection
    elements = document?.elements
  }

  /// Takes a version back.
  ///
  /// - Parameter fields: Its written properties.
  /// - Returns: False without a way back.
  @discardableResult
  mutating func undo(_ touch: Touch, fields: [String]) throws(DocumentError) -> Bool {
    switch touch.existence {
    case .created, .absent: elements = nil
    case .unknown: return false
    case .erased:
      elements = []
      for field in touch.fields { try set(field) }
    case .stayed:
      for name in fields where !touch.fields.contains(where: { $0.name == name }) {
        // What cannot be asked for has no value in the history.
        guard collection.schema.column(named: name)?.isQueryable != true else { continue }
        elements?.removeAll { $0.key == name }
      }
      for field in touch.fields { try set(field) }
    }
    return true
  }

  private mutating func set(_ field: Touch.Field) throws(DocumentError) {
    elements?.removeAll { $0.key == field.name }
    guard let before = field.before, let column = collection.schema.column(named: field.name),
      column.isQueryable, !column.isPrimaryKey
    else { return }
    let value = try collection.value(before, of: column)
    if value != .null { elements?.append(BSONElement(field.name, value)) }
  }

  func document(_ id: BSONValue, _ partition: DocumentPartition?) -> BSONValue? {
    guard var elements else { return nil }
    elements.removeAll { $0.key == "_id" || $0.key == partition?.field }
    elements.insert(BSONElement("_id", id), at: 0)
    if let partition, partition.value != .null {
      elements.append(BSONElement(partition.field, partition.value))
    }
    return .document(elements)
  }
}
#endif
