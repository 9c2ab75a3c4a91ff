// SPDX-License-Identifier: Apache-2.0

// The names of the blocks that calls of an app take. Each block is called once, on any thread.

#if Sync
/// A block that gets the error of a call about accounts, if there was one.
public typealias EmailPasswordAuthOptionalErrorBlock = @Sendable ((any Error)?) -> Void
/// A block that gets a user, or an error.
public typealias UserCompletionBlock = @Sendable (User?, (any Error)?) -> Void
/// A block that gets the errors of sessions.
public typealias ErrorReportingBlock =
  @Sendable (_ error: any Error, _ session: SyncSession?) ->
  Void
/// A block that gets the id of a new document.
public typealias MongoInsertBlock = @Sendable (Result<AnyBSON, any Error>) -> Void
/// A block that gets the ids of new documents.
public typealias MongoInsertManyBlock = @Sendable (Result<[AnyBSON], any Error>) -> Void
/// A block that gets documents.
public typealias MongoFindBlock = @Sendable (Result<[Document], any Error>) -> Void
/// A block that gets a document, if there is one.
public typealias MongoFindOneBlock = @Sendable (Result<Document?, any Error>) -> Void
/// A block that gets a number of documents.
public typealias MongoCountBlock = @Sendable (Result<Int, any Error>) -> Void
/// A block that gets what an update has done.
public typealias MongoUpdateBlock = @Sendable (Result<UpdateResult, any Error>) -> Void
/// The level of messages about sessions.
public typealias SyncLogLevel = LogLevel
#endif
