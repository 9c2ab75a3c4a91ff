// SPDX-License-Identifier: Apache-2.0

// The calls that change nothing.

#if Server
import RealmFormats
import RealmServerEngine
import RealmTables

/// Carries out reading calls in a version.
struct DocumentReading {
  private let reader: any TableReader
  private let permissions: SessionPermissions?
  private let partition: DocumentPartition?
  private let isDeclared: @Sendable (String) -> Bool

  /// - Parameters:
  ///   - permissions: Nil for every right.
  ///   - isDeclared: Whether the app has a class that the realm may not have yet.
  init(
    _ reader: any TableReader, _ permissions: SessionPermissions?, _ partition: DocumentPartition?,
    isDeclared: @escaping @Sendable (String) -> Bool = { _ in true }
  ) {
    self.isDeclared = isDeclared
    self.reader = reader
    self.permissions = permissions
    self.partition = partition
  }

  /// The documents of a class; nil if the realm does not have it yet.
  func collection(_ name: String) throws(DocumentError) -> DocumentCollection? {
    try DocumentCollection(name, in: reader, permissions?[name], partition)
  }

  /// The result of a call.
  func run(
    _ command: DocumentCommand, _ work: inout DocumentWork
  ) throws(DocumentError) -> BSONValue {
    let collection = try collection(command.collection)
    guard collection != nil || isDeclared(command.collection) else {
      throw .unknownCollection(command.collection)
    }
    switch command.action {
    case .find(let query, let options):
      let documents = try collection.map { (collection) throws(DocumentError) in
        try find(query, options, in: collection, &work)
      }
      return .array(documents ?? [])
    case .findOne(let query, var options):
      options.limit = 1
      guard let collection else { return .null }
      return try find(query, options, in: collection, &work).first ?? .null
    case .count(let query, let limit):
      var count: Int64 = 0
      try collection?.visit(query, &work) { (_, _) throws(DocumentError) in
        count += 1
        return limit == 0 || count < limit
      }
      return .int64(count)
    case .aggregate(let pipeline): return try aggregate(pipeline, in: collection, &work)
    case .insert, .delete, .update, .findAndUpdate, .findAndDelete:
      throw .unsupported("the call changes documents")
    }
  }

  private func find(
    _ query: DocumentQuery, _ options: DocumentCommand.FindOptions,
    in collection: DocumentCollection, _ work: inout DocumentWork
  ) throws(DocumentError) -> [BSONValue] {
    var documents = DocumentSelection(limit: options.limit, sort: options.sort)
    try collection.visit(query, &work) { (found, work) throws(DocumentError) in
      try documents.add(found.document, &work)
    }
    var results: [BSONValue] = []
    for document in try documents.finish(&work) {
      results.append(try options.projection?.applied(to: document, &work) ?? document)
    }
    try work.checkResult(results)
    return results
  }

  private func aggregate(
    _ value: BSONValue, in collection: DocumentCollection?, _ work: inout DocumentWork
  ) throws(DocumentError) -> BSONValue {
    var pipeline = try DocumentPipeline(value, limits: work.limits) {
      (name, query, work) throws(DocumentError) in
      guard let other = try self.collection(name) else { return [] }
      var found: [BSONValue] = []
      try other.visit(query, &work) { (document, work) throws(DocumentError) in
        try work.keep(document.document)
        found.append(document.document)
        return true
      }
      work.release(found)
      return found
    }
    try collection?.visit(pipeline.query, &work) { (found, work) throws(DocumentError) in
      try pipeline.add(found.document, &work)
    }
    try pipeline.finish(&work)
    try work.checkResult(pipeline.results)
    return .array(pipeline.results)
  }
}

/// The first documents of an order.
struct DocumentSelection {
  private let limit: Int
  private let sort: DocumentSort?
  private var documents: [BSONValue] = []

  /// - Parameter limit: 0 for all.
  init(limit: Int, sort: DocumentSort?) {
    self.limit = limit
    self.sort = sort
  }

  /// Adds a document. Returns whether more can be of use.
  mutating func add(
    _ document: BSONValue, _ work: inout DocumentWork
  ) throws(DocumentError) -> Bool {
    try work.keep(document)
    documents.append(document)
    guard limit > 0 else { return true }
    guard let sort else { return documents.count < limit }
    // The others are not needed: sorting now and then costs no more than once.
    if documents.count / 2 >= max(limit, 500) {
      documents = try sort.sorted(documents, &work)
      work.release(Array(documents[limit...]))
      documents.removeLast(documents.count - limit)
    }
    return true
  }

  func finish(_ work: inout DocumentWork) throws(DocumentError) -> [BSONValue] {
    guard let sort else { return documents }
    let sorted = try sort.sorted(documents, &work)
    return limit > 0 ? Array(sorted.prefix(limit)) : sorted
  }
}
#endif
