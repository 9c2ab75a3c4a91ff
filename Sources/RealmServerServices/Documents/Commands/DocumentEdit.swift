// SPDX-License-Identifier: Apache-2.0

// The calls that change documents, as changesets.
//
// Invariants:
// 1. The changeset leads from the state that was read to the one of the result: nothing else is
//    written between both.

#if Server
import RealmFormats
import RealmReplication
import RealmServerEngine
import RealmStorage
import RealmSyncProtocol
import RealmTables
import RealmText

/// Makes the changeset of a call.
struct DocumentEdit {
  private let reader: any TableReader
  private let collection: DocumentCollection
  private let now: OriginTimestamp
  private let identifiers: @Sendable () -> ObjectIDBits
  private(set) var changeset = Changeset()
  /// The changed objects.
  private(set) var changedCount = 0
  /// The objects that were found.
  private(set) var found: Set<ObjectIdentity> = []
  /// The objects that are made.
  private(set) var made: Set<ObjectIdentity> = []
  private var work: DocumentWork

  /// - Parameters:
  ///   - now: The time of `$currentDate`, and of new ids.
  ///   - identifiers: Makes ids for new documents.
  init(
    _ collection: DocumentCollection, now: OriginTimestamp, _ work: DocumentWork,
    identifiers: @escaping @Sendable () -> ObjectIDBits
  ) {
    self.collection = collection
    self.now = now
    self.identifiers = identifiers
    self.work = work
    reader = collection.reader
  }

  /// Carries out a call.
  ///
  /// - Returns: Its result, once the changeset is carried out.
  mutating func run(_ command: DocumentCommand) throws(DocumentError) -> BSONValue {
    switch command.action {
    case .insert(let documents, let isMany):
      var ids: [BSONValue] = []
      var known: Set<TableValue> = []
      for document in documents { ids.append(try insert(document, &known)) }
      return .document([
        isMany ? BSONElement("insertedIds", .array(ids)) : BSONElement("insertedId", ids[0])
      ])
    case .delete(let query, let isMany):
      let found = try find(query, limit: isMany ? 0 : 1)
      for object in found { try delete(object) }
      return .document([BSONElement("deletedCount", Self.count(found.count))])
    case .update(let query, let update, let upsert, let isMany):
      return try self.update(query, update, upsert: upsert, isMany: isMany)
    case .findAndUpdate(let query, let update, let options):
      return try findAndUpdate(query, update, options)
    case .findAndDelete(let query, let options):
      guard let object = try first(query, options.sort) else { return .null }
      try delete(object)
      return try options.projection?.applied(to: object.document, &work) ?? object.document
    case .find, .findOne, .count, .aggregate:
      throw .unsupported("the call changes nothing")
    }
  }

  // MARK: Finding

  private mutating func find(
    _ query: DocumentQuery, limit: Int
  ) throws(DocumentError) -> [DocumentCollection.Found] {
    var found: [DocumentCollection.Found] = []
    let countMax = work.limits.changedCount
    try collection.visit(query, &work) { (object, work) throws(DocumentError) in
      guard found.count < countMax else {
        throw .tooLarge("the call would change more than \(countMax) documents")
      }
      try work.keep(object.document)
      found.append(object)
      return limit == 0 || found.count < limit
    }
    for object in found { self.found.insert(try collection.identity(of: object.key)) }
    return found
  }

  /// The first document of an order.
  private mutating func first(
    _ query: DocumentQuery, _ sort: DocumentSort?
  ) throws(DocumentError) -> DocumentCollection.Found? {
    guard let sort else { return try find(query, limit: 1).first }
    var best: DocumentCollection.Found?
    try collection.visit(query, &work) { (object, work) throws(DocumentError) in
      guard let known = best else {
        best = object
        return true
      }
      let sorted = try sort.sorted([known.document, object.document], &work)
      if sorted[0] != known.document { best = object }
      return true
    }
    if let best { found.insert(try collection.identity(of: best.key)) }
    return best
  }

  // MARK: Changes

  private mutating func insert(
    _ document: BSONValue, _ known: inout Set<TableValue>
  ) throws(DocumentError) -> BSONValue {
    let (document, id) = try identified(collection.removingPartition(document))
    guard let column = collection.schema.primaryKey, let key = TableValue(key: id, column) else {
      throw .schema("'\(collection.schema.displayName)._id' needs a value of its type")
    }
    guard try collection.key(of: key) == nil, known.insert(key).inserted else {
      throw .duplicate(id: id)
    }
    for element in document.elements ?? [] where element.key != "_id" {
      try checkReadable(element.key, element.value, to: "insert")
    }
    try countChange()
    let object = ObjectIdentity(
      className: collection.schema.displayName, key: .value(key))
    made.insert(object)
    var writer = DocumentWriter(object, in: reader, isFresh: true)
    try writer.create(document, collection.schema)
    append(writer.changeset)
    return id
  }

  /// The document with an `_id`.
  private func identified(
    _ document: BSONValue
  ) throws(DocumentError) -> (document: BSONValue, id: BSONValue) {
    if let id = document["_id"] { return (document, id) }
    let id: BSONValue
    switch collection.schema.primaryKey?.type {
    case .objectId: id = .objectID(identifiers())
    case .uuid:
      let (first, second) = (identifiers(), identifiers())
      // Version 4, variant 1.
      id = .uuid(
        UUIDBits(
          high: (first.high << 24 | UInt64(first.low) << 8) & 0xFFFF_FFFF_FFFF_0FFF | 0x4000,
          low: (second.high << 24 ^ UInt64(second.low)) & 0x3FFF_FFFF_FFFF_FFFF
            | 0x8000_0000_0000_0000))
    default:
      throw .schema(
        "the document needs an _id: only ObjectIds and UUIDs are made for documents without one")
    }
    return (.document([BSONElement("_id", id)] + (document.elements ?? [])), id)
  }

  private mutating func delete(_ object: DocumentCollection.Found) throws(DocumentError) {
    try countChange()
    let reference = changeset.reference(to: try collection.identity(of: object.key))
    changeset.append(.eraseObject(reference))
  }

  private mutating func update(
    _ query: DocumentQuery, _ update: DocumentUpdate, upsert: Bool, isMany: Bool
  ) throws(DocumentError) -> BSONValue {
    let found = try find(query, limit: isMany ? 0 : 1)
    var modifiedCount = 0
    for object in found where try apply(update, to: object).isChanged { modifiedCount += 1 }
    var elements = [
      BSONElement("matchedCount", Self.count(found.count)),
      BSONElement("modifiedCount", Self.count(modifiedCount)),
    ]
    if found.isEmpty, upsert {
      var known: Set<TableValue> = []
      let made = try update.made(from: query, now: now, &work)
      elements.append(BSONElement("upsertedId", try insert(made, &known)))
    }
    return .document(elements)
  }

  private mutating func findAndUpdate(
    _ query: DocumentQuery, _ update: DocumentUpdate,
    _ options: DocumentCommand.FindAndModifyOptions
  ) throws(DocumentError) -> BSONValue {
    var result: BSONValue
    if let object = try first(query, options.sort) {
      let after = try apply(update, to: object).document
      result = options.returnsNew ? try collection.completed(after) : object.document
    } else {
      guard options.upsert else { return .null }
      var known: Set<TableValue> = []
      let made = try update.made(from: query, now: now, &work)
      let id = try insert(made, &known)
      guard options.returnsNew else { return .null }
      result = made
      if made["_id"] == nil, let elements = made.elements {
        result = .document([BSONElement("_id", id)] + elements)
      }
      result = try collection.completed(result)
    }
    return try options.projection?.applied(to: result, &work) ?? result
  }

  private mutating func apply(
    _ update: DocumentUpdate, to object: DocumentCollection.Found
  ) throws(DocumentError) -> (document: BSONValue, isChanged: Bool) {
    let updated = try update.applied(to: object.document, isNew: false, now: now, &work)
    let before = try collection.removingPartition(object.document)
    let after = try collection.removingPartition(updated)
    try work.keep(after)
    for element in after.elements ?? [] where before[element.key] != element.value {
      guard collection.schema.column(named: element.key) != nil else {
        throw .schema(
          "the class \(collection.schema.displayName) has no property '\(element.key)'")
      }
      if element.key != "_id" { try checkReadable(element.key, element.value, to: "update") }
    }
    for name in update.fields ?? [] where name != "_id" { try checkReadable(name, to: "update") }
    let difference = try ObjectDifference(
      collection, object.key, from: before, to: after, increments: update.increments)
    guard let changes = difference.changeset else { return (updated, false) }
    try countChange()
    append(changes)
    return (updated, true)
  }

  /// A property that the user may not read is not written either: it would be in the document
  /// otherwise.
  private func checkReadable(
    _ name: String, _ value: BSONValue = .null, to action: String
  ) throws(DocumentError) {
    guard collection.schema.column(named: name) != nil else { return }
    let fields = collection.fields
    guard fields.contains(name), !Self.isHidden(value, fields.inside[name] ?? .all) else {
      throw .notPermitted("\(action) not permitted: the property '\(name)' is hidden")
    }
  }

  /// Whether a value has a property of embedded objects that is hidden.
  private static func isHidden(_ value: BSONValue, _ fields: FieldSelection) -> Bool {
    if fields.isAll { return false }
    switch value {
    case .document(let elements):
      return elements.contains { element in
        !fields.contains(element.key)
          || isHidden(element.value, fields.inside[element.key] ?? .all)
      }
    case .array(let values): return values.contains { isHidden($0, fields) }
    default: return false
    }
  }

  private mutating func countChange() throws(DocumentError) {
    changedCount += 1
    guard changedCount <= work.limits.changedCount else {
      throw .tooLarge("the call would change more than \(work.limits.changedCount) documents")
    }
  }

  private mutating func append(_ changes: Changeset) {
    for instruction in changes.instructions {
      changeset.append(changeset.adopt(instruction, of: changes))
    }
  }

  /// Clients read these counts as 32-bit integers alone.
  private static func count(_ count: Int) -> BSONValue { .int32(Int32(clamping: count)) }
}
#endif
