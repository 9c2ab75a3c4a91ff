// SPDX-License-Identifier: Apache-2.0

// The documents of a collection.

#if Sync
public import Dispatch
import RealmFormats
import RealmSyncProtocol

/// A collection of documents: the objects of a class, as the server has them.
///
/// What is written here comes to all devices, and what devices have uploaded is found here, under
/// the same rules. Calls throw `AppError`: `mongoDBError` for what the server does not carry out,
/// such as an unknown operator, and an `unknown` one with the server's message for what rules do
/// not allow; and `CancellationError` if the task is cancelled.
public final class MongoCollection: Sendable {
  /// The name of the collection.
  public let name: String

  private let database: String
  let caller: any MongoCaller

  init(_ caller: any MongoCaller, database: String, _ name: String) {
    self.caller = caller
    self.database = database
    self.name = name
  }

  private func call(_ name: String, _ arguments: [BSONElement]) async throws -> BSONValue {
    try await calling(await caller.call(name, place + arguments))
  }

  /// The names in the arguments of each call.
  var place: [BSONElement] {
    [BSONElement("database", .string(database)), BSONElement("collection", .string(name))]
  }

  // MARK: Inserting

  /// Adds a document. Returns its id, which the server makes for classes whose ids are ObjectIds or
  /// UUIDs, if the document has none.
  public func insertOne(_ document: Document) async throws -> AnyBSON {
    let result = try await call("insertOne", [BSONElement("document", document.bson)])
    guard let id = result["insertedId"] else { throw Self.badAnswer("insertOne") }
    return AnyBSON(id)
  }

  /// Adds documents, all or none. Returns their ids.
  public func insertMany(_ documents: [Document]) async throws -> [AnyBSON] {
    let result = try await call(
      "insertMany", [BSONElement("documents", .array(documents.map(\.bson)))])
    guard case .array(let ids)? = result["insertedIds"] else { throw Self.badAnswer("insertMany") }
    return ids.map { AnyBSON($0) }
  }

  // MARK: Finding

  /// The documents that match a filter.
  public func find(
    filter: Document, options: FindOptions = FindOptions()
  ) async throws -> [Document] {
    try await find(filter, options.elements)
  }

  func find(_ filter: Document, _ options: [BSONElement]) async throws -> [Document] {
    Self.documents(try await call("find", [BSONElement("query", filter.bson)] + options))
  }

  /// The first document that matches a filter; nil if none does.
  public func findOneDocument(
    filter: Document, options: FindOptions = FindOptions()
  ) async throws -> Document? {
    try await findOne(filter, options.elements)
  }

  func findOne(_ filter: Document, _ options: [BSONElement]) async throws -> Document? {
    Self.document(try await call("findOne", [BSONElement("query", filter.bson)] + options))
  }

  /// The result of a pipeline of stages.
  public func aggregate(pipeline: [Document]) async throws -> [Document] {
    Self.documents(
      try await call(
        "aggregate", [BSONElement("pipeline", .array(pipeline.map(\.bson)))]))
  }

  /// The number of documents that match a filter, at most `limit`.
  public func count(filter: Document, limit: Int? = nil) async throws -> Int {
    let result = try await call(
      "count",
      [BSONElement("query", filter.bson)]
        + (limit.map { [BSONElement("limit", .int64(Int64($0)))] } ?? []))
    return try Self.number(result, "count")
  }

  // MARK: Deleting

  /// Removes the first document that matches. Returns the number of those removed.
  public func deleteOneDocument(filter: Document) async throws -> Int {
    let result = try await call("deleteOne", [BSONElement("query", filter.bson)])
    return try Self.number(result["deletedCount"], "deleteOne")
  }

  /// Removes all documents that match. Returns their number.
  public func deleteManyDocuments(filter: Document) async throws -> Int {
    let result = try await call("deleteMany", [BSONElement("query", filter.bson)])
    return try Self.number(result["deletedCount"], "deleteMany")
  }

  // MARK: Changing

  /// Changes the first document that matches; with `upsert` one is made if none does.
  public func updateOneDocument(
    filter: Document, update: Document, upsert: Bool? = nil
  ) async throws -> UpdateResult {
    try await self.update("updateOne", filter, update, upsert)
  }

  /// Changes all documents that match; with `upsert` one is made if none does.
  public func updateManyDocuments(
    filter: Document, update: Document, upsert: Bool? = nil
  ) async throws -> UpdateResult {
    try await self.update("updateMany", filter, update, upsert)
  }

  private func update(
    _ name: String, _ filter: Document, _ update: Document, _ upsert: Bool?
  ) async throws -> UpdateResult {
    let result = try await call(
      name,
      [
        BSONElement("query", filter.bson), BSONElement("update", update.bson),
        BSONElement("upsert", .bool(upsert ?? false)),
      ])
    return UpdateResult(
      matchedCount: try Self.number(result["matchedCount"], name),
      modifiedCount: try Self.number(result["modifiedCount"], name),
      documentId: result["upsertedId"].map { AnyBSON($0) })
  }

  /// Changes the first document that matches, and returns it as it was, or as it is afterwards.
  public func findOneAndUpdate(
    filter: Document, update: Document,
    options: FindOneAndModifyOptions = FindOneAndModifyOptions()
  ) async throws -> Document? {
    try await modify("findOneAndUpdate", filter, update, options.elements)
  }

  /// Replaces the first document that matches, and returns it as it was, or as it is afterwards.
  public func findOneAndReplace(
    filter: Document, replacement: Document,
    options: FindOneAndModifyOptions = FindOneAndModifyOptions()
  ) async throws -> Document? {
    try await modify("findOneAndReplace", filter, replacement, options.elements)
  }

  /// Removes the first document that matches, and returns it.
  public func findOneAndDelete(
    filter: Document, options: FindOneAndModifyOptions = FindOneAndModifyOptions()
  ) async throws -> Document? {
    try await modify("findOneAndDelete", filter, nil, options.elements)
  }

  /// Finds a document and changes it.
  func modify(
    _ name: String, _ filter: Document, _ update: Document?, _ options: [BSONElement]
  ) async throws -> Document? {
    var arguments = [BSONElement("filter", filter.bson)]
    if let update { arguments.append(BSONElement("update", update.bson)) }
    return Self.document(try await call(name, arguments + options))
  }

  // MARK: Watching

  /// Tells a delegate of the changes of all documents that the user may read, on `queue`.
  public func watch(
    delegate: any ChangeEventDelegate, queue: DispatchQueue = .main
  ) -> ChangeStream {
    watch([], delegate, queue)
  }

  /// Tells a delegate of the changes whose events match a filter, on `queue`: a field of the
  /// document is `fullDocument.name`.
  public func watch(
    matchFilter: Document, delegate: any ChangeEventDelegate,
    queue: DispatchQueue = .main
  ) -> ChangeStream {
    watch([BSONElement("filter", matchFilter.bson)], delegate, queue)
  }

  /// Tells a delegate of the changes of the documents with some ids, on `queue`.
  public func watch(
    filterIds: [ObjectId], delegate: any ChangeEventDelegate,
    queue: DispatchQueue = .main
  ) -> ChangeStream {
    watch([Self.ids(filterIds)], delegate, queue)
  }

  private func watch(
    _ arguments: [BSONElement], _ delegate: any ChangeEventDelegate,
    _ queue: DispatchQueue
  ) -> ChangeStream {
    let stream = ChangeStream()
    let (caller, all) = (caller, place + arguments)
    stream.start(delegate, on: queue) { onOpen, onEvent throws(AppFailure) in
      try await caller.watch(all, onOpen, onEvent)
    }
    return stream
  }

  static func ids(_ ids: [ObjectId]) -> BSONElement {
    BSONElement("ids", .array(ids.map { AnyBSON.objectId($0).bson }))
  }

  /// The events of a stream, which ends with the loop over it.
  func events(
    _ arguments: [BSONElement], _ onOpen: @escaping @Sendable () -> Void
  ) -> AsyncThrowingStream<AnyBSON, any Error> {
    let (caller, all) = (caller, place + arguments)
    return AsyncThrowingStream { continuation in
      let task = Task {
        do throws(AppFailure) {
          try await caller.watch(all, { onOpen() }, { continuation.yield(AnyBSON($0)) })
          continuation.finish()
        } catch {
          continuation.finish(throwing: AppError.of(error))
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  // MARK: Answers

  private static func document(_ value: BSONValue) -> Document? {
    guard case .document(let elements) = value else { return nil }
    return Document(elements)
  }

  private static func documents(_ value: BSONValue) -> [Document] {
    guard case .array(let values) = value else { return [] }
    return values.compactMap(document)
  }

  private static func number(_ value: BSONValue?, _ name: String) throws -> Int {
    switch value {
    case .int32(let number): return Int(number)
    case .int64(let number): return Int(number)
    default: throw badAnswer(name)
    }
  }

  private static func badAnswer(_ name: String) -> AppError {
    AppError(.unknown, "The server's answer to '\(name)' has no result.")
  }
}

extension Document {
  /// The document of a message.
  var bson: BSONValue { .document(elements) }
}

extension FindOptions {
  /// The members of a call.
  var elements: [BSONElement] {
    var elements: [BSONElement] = []
    if limit != 0 { elements.append(BSONElement("limit", .int64(Int64(limit)))) }
    if let projection { elements.append(BSONElement("project", projection.bson)) }
    if !sorting.isEmpty {
      elements.append(BSONElement("sort", .document(sorting.flatMap(\.elements))))
    }
    return elements
  }
}

extension FindOneAndModifyOptions {
  /// The members of a call.
  var elements: [BSONElement] {
    var elements: [BSONElement] = []
    if let projection { elements.append(BSONElement("projection", projection.bson)) }
    if !sorting.isEmpty {
      elements.append(BSONElement("sort", .document(sorting.flatMap(\.elements))))
    }
    if upsert { elements.append(BSONElement("upsert", .bool(true))) }
    if shouldReturnNewDocument { elements.append(BSONElement("returnNewDocument", .bool(true))) }
    return elements
  }
}
#endif
