// SPDX-License-Identifier: Apache-2.0

// The calls of collections as futures.

#if Sync
#if canImport(Combine) || OpenCombine
#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

extension MongoCollection {
  /// See `insertOne(_:)`.
  public func insertOne(_ document: Document) -> Future<AnyBSON, any Error> {
    future { try await self.insertOne(document) }
  }

  /// See `insertMany(_:)`.
  public func insertMany(_ documents: [Document]) -> Future<[AnyBSON], any Error> {
    future { try await self.insertMany(documents) }
  }

  /// See `find(filter:options:)`.
  public func find(
    filter: Document, options: FindOptions = FindOptions()
  ) -> Future<[Document], any Error> {
    let options = options.elements
    return future { try await self.find(filter, options) }
  }

  /// See `findOneDocument(filter:options:)`.
  public func findOneDocument(
    filter: Document, options: FindOptions = FindOptions()
  ) -> Future<Document?, any Error> {
    let options = options.elements
    return future { try await self.findOne(filter, options) }
  }

  /// See `aggregate(pipeline:)`.
  public func aggregate(pipeline: [Document]) -> Future<[Document], any Error> {
    future { try await self.aggregate(pipeline: pipeline) }
  }

  /// See `count(filter:limit:)`.
  public func count(filter: Document, limit: Int? = nil) -> Future<Int, any Error> {
    future { try await self.count(filter: filter, limit: limit) }
  }

  /// See `deleteOneDocument(filter:)`.
  public func deleteOneDocument(filter: Document) -> Future<Int, any Error> {
    future { try await self.deleteOneDocument(filter: filter) }
  }

  /// See `deleteManyDocuments(filter:)`.
  public func deleteManyDocuments(filter: Document) -> Future<Int, any Error> {
    future { try await self.deleteManyDocuments(filter: filter) }
  }

  /// See `updateOneDocument(filter:update:upsert:)`.
  public func updateOneDocument(
    filter: Document, update: Document, upsert: Bool? = nil
  ) -> Future<UpdateResult, any Error> {
    future { try await self.updateOneDocument(filter: filter, update: update, upsert: upsert) }
  }

  /// See `updateManyDocuments(filter:update:upsert:)`.
  public func updateManyDocuments(
    filter: Document, update: Document, upsert: Bool? = nil
  ) -> Future<UpdateResult, any Error> {
    future { try await self.updateManyDocuments(filter: filter, update: update, upsert: upsert) }
  }

  /// See `findOneAndUpdate(filter:update:options:)`.
  public func findOneAndUpdate(
    filter: Document, update: Document, options: FindOneAndModifyOptions = FindOneAndModifyOptions()
  ) -> Future<Document?, any Error> {
    let options = options.elements
    return future { try await self.modify("findOneAndUpdate", filter, update, options) }
  }

  /// See `findOneAndReplace(filter:replacement:options:)`.
  public func findOneAndReplace(
    filter: Document, replacement: Document,
    options: FindOneAndModifyOptions = FindOneAndModifyOptions()
  ) -> Future<Document?, any Error> {
    let options = options.elements
    return future { try await self.modify("findOneAndReplace", filter, replacement, options) }
  }

  /// See `findOneAndDelete(filter:options:)`.
  public func findOneAndDelete(
    filter: Document, options: FindOneAndModifyOptions = FindOneAndModifyOptions()
  ) -> Future<Document?, any Error> {
    let options = options.elements
    return future { try await self.modify("findOneAndDelete", filter, nil, options) }
  }
}
#endif
#endif
