// SPDX-License-Identifier: Apache-2.0

// The calls of collections, as requests carry them (P1 A.3).

#if Server
package import RealmFormats

/// A call of a collection.
package struct DocumentCommand: Sendable {
  /// What a call does.
  enum Action: Sendable {
    case find(DocumentQuery, FindOptions)
    case findOne(DocumentQuery, FindOptions)
    case count(DocumentQuery, limit: Int)
    case aggregate(BSONValue)
    case insert([BSONValue], isMany: Bool)
    case delete(DocumentQuery, isMany: Bool)
    case update(DocumentQuery, DocumentUpdate, upsert: Bool, isMany: Bool)
    case findAndUpdate(DocumentQuery, DocumentUpdate, FindAndModifyOptions)
    case findAndDelete(DocumentQuery, FindAndModifyOptions)
  }

  /// The options of `find` and `findOne`.
  struct FindOptions: Sendable {
    /// 0 for all.
    var limit = 0
    var projection: DocumentProjection?
    var sort: DocumentSort?
  }

  /// The options of the calls that find one document and change it.
  struct FindAndModifyOptions: Sendable {
    var projection: DocumentProjection?
    var sort: DocumentSort?
    var upsert = false
    var returnsNew = false
  }

  package let database: String
  package let collection: String
  let action: Action

  /// The names of calls.
  package static let names: Set<String> = [
    "find", "findOne", "count", "aggregate", "insertOne", "insertMany", "deleteOne", "deleteMany",
    "updateOne", "updateMany", "findOneAndUpdate", "findOneAndReplace", "findOneAndDelete",
  ]

  /// Reads a call.
  ///
  /// - Parameter name: One of `names`.
  package init(
    _ name: String, _ arguments: BSONValue, limits: DocumentLimits = DocumentLimits()
  ) throws(DocumentError) {
    let reader = Arguments(arguments)
    database = try reader.text("database")
    collection = try reader.text("collection")
    switch name {
    case "find": action = .find(try reader.query("query"), try reader.findOptions())
    case "findOne": action = .findOne(try reader.query("query"), try reader.findOptions())
    case "count":
      action = .count(try reader.query("query"), limit: try reader.number("limit"))
    case "aggregate":
      let pipeline = try reader.value("pipeline")
      // The mistakes of a pipeline are known before anything is read.
      _ = try DocumentPipeline(pipeline, limits: limits) { (_, _, _) throws(DocumentError) in [] }
      action = .aggregate(pipeline)
    case "insertOne": action = .insert([try reader.document("document")], isMany: false)
    case "insertMany":
      guard let documents = try reader.value("documents").values else {
        throw .badArgument("insertMany needs an array of documents")
      }
      for document in documents where document.elements == nil {
        throw .badArgument("insertMany needs an array of documents")
      }
      action = .insert(documents, isMany: true)
    case "deleteOne", "deleteMany":
      action = .delete(try reader.query("query"), isMany: name == "deleteMany")
    case "updateOne", "updateMany":
      action = .update(
        try reader.query("query"), try reader.update(isMany: name == "updateMany"),
        upsert: reader.flag("upsert"), isMany: name == "updateMany")
    case "findOneAndUpdate":
      action = .findAndUpdate(
        try reader.query("filter"), try reader.update(isMany: false),
        try reader.modifyOptions())
    case "findOneAndReplace":
      action = .findAndUpdate(
        try reader.query("filter"), try reader.replacement(),
        try reader.modifyOptions())
    case "findOneAndDelete":
      action = .findAndDelete(try reader.query("filter"), try reader.modifyOptions())
    default: throw .unsupported("command not found: '\(name)'")
    }
  }

  /// Whether the call changes documents.
  package var isWrite: Bool {
    switch action {
    case .find, .findOne, .count, .aggregate: false
    case .insert, .delete, .update, .findAndUpdate, .findAndDelete: true
    }
  }

  /// What the call does, for messages.
  var verb: String {
    switch action {
    case .find, .findOne, .count, .aggregate: "read"
    case .insert: "insert"
    case .delete, .findAndDelete: "delete"
    case .update, .findAndUpdate: "update"
    }
  }

  /// The values that a field has in all documents of the call; none if the call does not say so.
  func values(of field: String, limits: DocumentLimits) throws(DocumentError) -> [BSONValue] {
    let queries: [DocumentQuery]
    switch action {
    case .find(let query, _), .findOne(let query, _), .count(let query, _), .delete(let query, _),
      .update(let query, _, _, _), .findAndUpdate(let query, _, _), .findAndDelete(let query, _):
      queries = [query]
    case .aggregate(let value):
      queries = [
        try DocumentPipeline(value, limits: limits) { (_, _, _) throws(DocumentError) in [] }.query
      ]
    case .insert(let documents, _):
      return documents.map { $0[field] ?? .null }
    }
    return queries.flatMap { $0.equalities() }.filter { $0.path.steps == [field] }.map(\.value)
  }
}

/// The members of a call's document.
private struct Arguments {
  private let document: BSONValue

  init(_ document: BSONValue) { self.document = document }

  func value(_ key: String) throws(DocumentError) -> BSONValue {
    guard let value = document[key] else { throw .missing(key) }
    return value
  }

  /// A member that may be missing or null.
  private func option(_ key: String) -> BSONValue? {
    guard let value = document[key], value != .null else { return nil }
    return value
  }

  func text(_ key: String) throws(DocumentError) -> String {
    guard let text = try value(key).text, !text.isEmpty else {
      throw .badArgument("'\(key)' needs to be a name")
    }
    return text
  }

  func document(_ key: String) throws(DocumentError) -> BSONValue {
    let value = try value(key)
    guard value.elements != nil else { throw .badArgument("'\(key)' needs to be a document") }
    return value
  }

  func query(_ key: String) throws(DocumentError) -> DocumentQuery {
    try DocumentQuery(option(key) ?? .document([]))
  }

  func update(isMany: Bool) throws(DocumentError) -> DocumentUpdate {
    try DocumentUpdate(
      value("update"), isMany: isMany, filters: option("arrayFilters"))
  }

  /// The document of `findOneAndReplace`. A version of the web client sends none.
  func replacement() throws(DocumentError) -> DocumentUpdate {
    try DocumentUpdate(replacement: option("update") ?? .document([]))
  }

  func flag(_ key: String) -> Bool { option(key)?.isTrue ?? false }

  func number(_ key: String) throws(DocumentError) -> Int {
    guard let value = option(key) else { return 0 }
    guard let number = value.wholeNumber, number >= 0 else {
      throw .badArgument("'\(key)' needs a number that is not negative")
    }
    return Int(number)
  }

  func projection(_ keys: String...) throws(DocumentError) -> DocumentProjection? {
    for key in keys {
      if let value = option(key) { return try DocumentProjection(value) }
    }
    return nil
  }

  func sort() throws(DocumentError) -> DocumentSort? {
    guard let value = option("sort") else { return nil }
    return try DocumentSort(value)
  }

  func findOptions() throws(DocumentError) -> DocumentCommand.FindOptions {
    DocumentCommand.FindOptions(
      limit: try number("limit"), projection: try projection("project", "projection"),
      sort: try sort())
  }

  func modifyOptions() throws(DocumentError) -> DocumentCommand.FindAndModifyOptions {
    DocumentCommand.FindAndModifyOptions(
      projection: try projection("projection", "project"), sort: try sort(),
      upsert: flag("upsert"), returnsNew: flag("returnNewDocument"))
  }
}
#endif
