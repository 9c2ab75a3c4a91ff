// SPDX-License-Identifier: Apache-2.0

// The documents of a collection.

#if Sync
public import Dispatch

/// A collection of documents of a service.
///
/// Not available in this release: all calls throw `AppError.notCallable`.
public final class MongoCollection: Sendable {
  /// The name of the collection.
  public let name: String

  init(_ name: String) { self.name = name }

  private var unavailable: AppError { UnavailableService.error("MongoCollection") }

  /// Adds a document. Returns its id.
  public func insertOne(_ document: Document) async throws -> AnyBSON { throw unavailable }

  /// Adds documents. Returns their ids.
  public func insertMany(_ documents: [Document]) async throws -> [AnyBSON] { throw unavailable }

  /// The documents that match a filter.
  public func find(
    filter: Document, options: FindOptions = FindOptions()
  ) async throws -> [Document] {
    throw unavailable
  }

  /// The first document that matches a filter; nil if none does.
  public func findOneDocument(
    filter: Document, options: FindOptions = FindOptions()
  ) async throws -> Document? {
    throw unavailable
  }

  /// The result of a pipeline of stages.
  public func aggregate(pipeline: [Document]) async throws -> [Document] { throw unavailable }

  /// The number of documents that match a filter, at most `limit`.
  public func count(filter: Document, limit: Int? = nil) async throws -> Int { throw unavailable }

  /// Removes the first document that matches. Returns the number of those removed.
  public func deleteOneDocument(filter: Document) async throws -> Int { throw unavailable }

  /// Removes all documents that match. Returns their number.
  public func deleteManyDocuments(filter: Document) async throws -> Int { throw unavailable }

  /// Changes the first document that matches, or makes one.
  public func updateOneDocument(
    filter: Document, update: Document, upsert: Bool? = nil
  ) async throws -> UpdateResult {
    throw unavailable
  }

  /// Changes all documents that match, or makes one.
  public func updateManyDocuments(
    filter: Document, update: Document, upsert: Bool? = nil
  ) async throws -> UpdateResult {
    throw unavailable
  }

  /// Changes the first document that matches, and returns it.
  public func findOneAndUpdate(
    filter: Document, update: Document,
    options: FindOneAndModifyOptions = FindOneAndModifyOptions()
  ) async throws -> Document? {
    throw unavailable
  }

  /// Replaces the first document that matches, and returns it.
  public func findOneAndReplace(
    filter: Document, replacement: Document,
    options: FindOneAndModifyOptions = FindOneAndModifyOptions()
  ) async throws -> Document? {
    throw unavailable
  }

  /// Removes the first document that matches, and returns it.
  public func findOneAndDelete(
    filter: Document, options: FindOneAndModifyOptions = FindOneAndModifyOptions()
  ) async throws -> Document? {
    throw unavailable
  }

  /// Tells a delegate of changes: here of the error alone, on `queue` or the main queue.
  public func watch(
    delegate: any ChangeEventDelegate & Sendable, queue: DispatchQueue = .main
  ) -> ChangeStream {
    let error = unavailable
    queue.async { delegate.changeStreamDidReceive(error: error) }
    return ChangeStream()
  }

  /// See `watch(delegate:queue:)`.
  public func watch(
    matchFilter: Document, delegate: any ChangeEventDelegate & Sendable,
    queue: DispatchQueue = .main
  ) -> ChangeStream {
    watch(delegate: delegate, queue: queue)
  }

  /// See `watch(delegate:queue:)`.
  public func watch(
    filterIds: [ObjectId], delegate: any ChangeEventDelegate & Sendable,
    queue: DispatchQueue = .main
  ) -> ChangeStream {
    watch(delegate: delegate, queue: queue)
  }
}
#endif
