// SPDX-License-Identifier: Apache-2.0

// The documents of a collection.

public import Dispatch

/// A collection of documents of a service.
///
/// Not available in this release: all calls throw `AppError.notCallable`.
public final class MongoCollection: Sendable {
  /// The name of the collection.
  public let name: String

  init(_ name: String) { self.name = name }

  private var unavailable: AppError { UnavailableService.error("MongoCollection") }

  /// Inserts a document, and returns its `_id`.
  public func insertOne(_ document: Document) async throws -> AnyBSON { throw unavailable }

  /// Inserts documents, and returns the `_id` of each.
  public func insertMany(_ documents: [Document]) async throws -> [AnyBSON] { throw unavailable }

  /// Finds the documents that match.
  public func find(
    filter: Document, options: FindOptions = FindOptions()
  ) async throws -> [Document] {
    throw unavailable
  }

  /// Finds a document that matches; nil if there is none.
  public func findOneDocument(
    filter: Document, options: FindOptions = FindOptions()
  ) async throws -> Document? {
    throw unavailable
  }

  /// Runs stages of an aggregation, and returns what comes of the last one.
  public func aggregate(pipeline: [Document]) async throws -> [Document] { throw unavailable }

  /// Counts the documents that match.
  public func count(filter: Document, limit: Int? = nil) async throws -> Int { throw unavailable }

  /// Deletes a document that matches, and returns how many were deleted.
  public func deleteOneDocument(filter: Document) async throws -> Int { throw unavailable }

  /// Deletes the documents that match, and returns how many there were.
  public func deleteManyDocuments(filter: Document) async throws -> Int { throw unavailable }

  /// Changes a document that matches.
  public func updateOneDocument(
    filter: Document, update: Document, upsert: Bool? = nil
  ) async throws -> UpdateResult {
    throw unavailable
  }

  /// Changes the documents that match.
  public func updateManyDocuments(
    filter: Document, update: Document, upsert: Bool? = nil
  ) async throws -> UpdateResult {
    throw unavailable
  }

  /// Changes a document that matches, and returns it.
  public func findOneAndUpdate(
    filter: Document, update: Document,
    options: FindOneAndModifyOptions = FindOneAndModifyOptions()
  ) async throws -> Document? {
    throw unavailable
  }

  /// Replaces a document that matches, and returns it.
  public func findOneAndReplace(
    filter: Document, replacement: Document,
    options: FindOneAndModifyOptions = FindOneAndModifyOptions()
  ) async throws -> Document? {
    throw unavailable
  }

  /// Deletes a document that matches, and returns it.
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
