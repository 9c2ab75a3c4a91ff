// SPDX-License-Identifier: Apache-2.0

// The calls of collections with completion blocks, which are called once, on any thread.

#if Sync
extension MongoCollection {
  /// See `insertOne(_:)`.
  public func insertOne(
    _ document: Document,
    _ completion: @escaping @Sendable (Result<AnyBSON, any Error>) -> Void
  ) {
    complete(completion) { try await self.insertOne(document) }
  }

  /// See `insertMany(_:)`.
  public func insertMany(
    _ documents: [Document],
    _ completion: @escaping @Sendable (Result<[AnyBSON], any Error>) -> Void
  ) {
    complete(completion) { try await self.insertMany(documents) }
  }

  /// See `find(filter:options:)`.
  public func find(
    filter: Document, options: FindOptions,
    _ completion: @escaping @Sendable (Result<[Document], any Error>) -> Void
  ) {
    let options = options.elements
    complete(completion) { try await self.find(filter, options) }
  }

  /// See `find(filter:options:)`.
  public func find(
    filter: Document,
    _ completion: @escaping @Sendable (Result<[Document], any Error>) -> Void
  ) {
    complete(completion) { try await self.find(filter: filter) }
  }

  /// See `findOneDocument(filter:options:)`.
  public func findOneDocument(
    filter: Document, options: FindOptions,
    _ completion: @escaping @Sendable (Result<Document?, any Error>) -> Void
  ) {
    let options = options.elements
    complete(completion) { try await self.findOne(filter, options) }
  }

  /// See `findOneDocument(filter:options:)`.
  public func findOneDocument(
    filter: Document,
    _ completion: @escaping @Sendable (Result<Document?, any Error>) -> Void
  ) {
    complete(completion) { try await self.findOneDocument(filter: filter) }
  }

  /// See `aggregate(pipeline:)`.
  public func aggregate(
    pipeline: [Document],
    _ completion: @escaping @Sendable (Result<[Document], any Error>) -> Void
  ) {
    complete(completion) { try await self.aggregate(pipeline: pipeline) }
  }

  /// See `count(filter:limit:)`.
  public func count(
    filter: Document, limit: Int,
    _ completion: @escaping @Sendable (Result<Int, any Error>) -> Void
  ) {
    complete(completion) { try await self.count(filter: filter, limit: limit) }
  }

  /// See `count(filter:limit:)`.
  public func count(
    filter: Document,
    _ completion: @escaping @Sendable (Result<Int, any Error>) -> Void
  ) {
    complete(completion) { try await self.count(filter: filter) }
  }

  /// See `deleteOneDocument(filter:)`.
  public func deleteOneDocument(
    filter: Document,
    _ completion: @escaping @Sendable (Result<Int, any Error>) -> Void
  ) {
    complete(completion) { try await self.deleteOneDocument(filter: filter) }
  }

  /// See `deleteManyDocuments(filter:)`.
  public func deleteManyDocuments(
    filter: Document,
    _ completion: @escaping @Sendable (Result<Int, any Error>) -> Void
  ) {
    complete(completion) { try await self.deleteManyDocuments(filter: filter) }
  }

  /// See `updateOneDocument(filter:update:upsert:)`.
  public func updateOneDocument(
    filter: Document, update: Document, upsert: Bool,
    _ completion: @escaping @Sendable (Result<UpdateResult, any Error>) -> Void
  ) {
    complete(completion) {
      try await self.updateOneDocument(filter: filter, update: update, upsert: upsert)
    }
  }

  /// See `updateOneDocument(filter:update:upsert:)`.
  public func updateOneDocument(
    filter: Document, update: Document,
    _ completion: @escaping @Sendable (Result<UpdateResult, any Error>) -> Void
  ) {
    complete(completion) { try await self.updateOneDocument(filter: filter, update: update) }
  }

  /// See `updateManyDocuments(filter:update:upsert:)`.
  public func updateManyDocuments(
    filter: Document, update: Document, upsert: Bool,
    _ completion: @escaping @Sendable (Result<UpdateResult, any Error>) -> Void
  ) {
    complete(completion) {
      try await self.updateManyDocuments(filter: filter, update: update, upsert: upsert)
    }
  }

  /// See `updateManyDocuments(filter:update:upsert:)`.
  public func updateManyDocuments(
    filter: Document, update: Document,
    _ completion: @escaping @Sendable (Result<UpdateResult, any Error>) -> Void
  ) {
    complete(completion) { try await self.updateManyDocuments(filter: filter, update: update) }
  }

  /// See `findOneAndUpdate(filter:update:options:)`.
  public func findOneAndUpdate(
    filter: Document, update: Document, options: FindOneAndModifyOptions,
    _ completion: @escaping @Sendable (Result<Document?, any Error>) -> Void
  ) {
    let options = options.elements
    complete(completion) { try await self.modify("findOneAndUpdate", filter, update, options) }
  }

  /// See `findOneAndUpdate(filter:update:options:)`.
  public func findOneAndUpdate(
    filter: Document, update: Document,
    _ completion: @escaping @Sendable (Result<Document?, any Error>) -> Void
  ) {
    complete(completion) { try await self.findOneAndUpdate(filter: filter, update: update) }
  }

  /// See `findOneAndReplace(filter:replacement:options:)`.
  public func findOneAndReplace(
    filter: Document, replacement: Document, options: FindOneAndModifyOptions,
    _ completion: @escaping @Sendable (Result<Document?, any Error>) -> Void
  ) {
    let options = options.elements
    complete(completion) {
      try await self.modify("findOneAndReplace", filter, replacement, options)
    }
  }

  /// See `findOneAndReplace(filter:replacement:options:)`.
  public func findOneAndReplace(
    filter: Document, replacement: Document,
    _ completion: @escaping @Sendable (Result<Document?, any Error>) -> Void
  ) {
    complete(completion) {
      try await self.findOneAndReplace(filter: filter, replacement: replacement)
    }
  }

  /// See `findOneAndDelete(filter:options:)`.
  public func findOneAndDelete(
    filter: Document, options: FindOneAndModifyOptions,
    _ completion: @escaping @Sendable (Result<Document?, any Error>) -> Void
  ) {
    let options = options.elements
    complete(completion) { try await self.modify("findOneAndDelete", filter, nil, options) }
  }

  /// See `findOneAndDelete(filter:options:)`.
  public func findOneAndDelete(
    filter: Document,
    _ completion: @escaping @Sendable (Result<Document?, any Error>) -> Void
  ) {
    complete(completion) { try await self.findOneAndDelete(filter: filter) }
  }
}
#endif
