// SPDX-License-Identifier: Apache-2.0

// The documents of a collection.

public import Dispatch

/// A collection of documents of a service.
///
/// Not available in this release: all calls throw `AppError.notCallable`.
public final class MongoCollection: Sendable {
  public let name: String

  init(_ name: String) { self.name = name }

  private var unavailable: AppError { UnavailableService.error("MongoCollection") }

  public func insertOne(_ document: Document) async throws -> AnyBSON { throw unavailable }

  public func insertMany(_ documents: [Document]) async throws -> [AnyBSON] { throw unavailable }

  public func find(
    filter: Document, options: FindOptions = FindOptions()
  ) async throws -> [Document] {
    throw unavailable
  }

  public func findOneDocument(
    filter: Document, options: FindOptions = FindOptions()
  ) async throws -> Document? {
    throw unavailable
  }

  public func aggregate(pipeline: [Document]) async throws -> [Document] { throw unavailable }

  public func count(filter: Document, limit: Int? = nil) async throws -> Int { throw unavailable }

  public func deleteOneDocument(filter: Document) async throws -> Int { throw unavailable }

  public func deleteManyDocuments(filter: Document) async throws -> Int { throw unavailable }

  public func updateOneDocument(
    filter: Document, update: Document, upsert: Bool? = nil
  ) async throws -> UpdateResult {
    throw unavailable
  }

  public func updateManyDocuments(
    filter: Document, update: Document, upsert: Bool? = nil
  ) async throws -> UpdateResult {
    throw unavailable
  }

  public func findOneAndUpdate(
    filter: Document, update: Document,
    options: FindOneAndModifyOptions = FindOneAndModifyOptions()
  ) async throws -> Document? {
    throw unavailable
  }

  public func findOneAndReplace(
    filter: Document, replacement: Document,
    options: FindOneAndModifyOptions = FindOneAndModifyOptions()
  ) async throws -> Document? {
    throw unavailable
  }

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
