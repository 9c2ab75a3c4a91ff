// SPDX-License-Identifier: Apache-2.0

// Update documents: operators, or a new document.
//
// Invariants:
// 1. No two operators change the same value, or parts of it: their order makes no difference.

import RealmFormats
import RealmSyncProtocol

/// A change of documents.
struct DocumentUpdate: Sendable {
  private enum Content: Sendable {
    case replacement(BSONValue)
    case operators([(operation: UpdateOperator, path: DocumentPath)])
  }

  private let content: Content

  /// Reads operators.
  init(operators value: BSONValue) throws(DocumentError) {
    guard let elements = value.elements else {
      if value.values != nil { throw .unsupported("updates by a pipeline are not supported") }
      throw .badArgument("an update needs to be a document")
    }
    var changes: [(operation: UpdateOperator, path: DocumentPath)] = []
    for element in elements {
      guard element.key.hasPrefix("$") else {
        throw .badArgument(
          "an update needs operators as $set: a new document replaces with findOneAndReplace")
      }
      guard let fields = element.value.elements else {
        throw .badArgument("\(element.key) needs a document with fields")
      }
      for field in fields {
        let path = try DocumentPath(field.key)
        for step in path.steps where step.hasPrefix("$") {
          throw .unsupported("the place \(step) of arrays is not supported in updates")
        }
        let operation = try UpdateOperator(element.key, field.value)
        changes.append((operation, path))
        if case .rename(let target) = operation { changes.append((.renameTarget, target)) }
      }
    }
    guard !changes.isEmpty else { throw .badArgument("the update has no operators") }
    // `DocumentUpdate` 1
    let sorted = changes.map(\.path).sorted { $0.steps.lexicographicallyPrecedes($1.steps) }
    for (first, second) in zip(sorted, sorted.dropFirst()) where first.overlaps(second) {
      throw .failed("updating the path '\(second.text)' would create a conflict at '\(first.text)'")
    }
    content = .operators(
      changes.filter { if case .renameTarget = $0.operation { false } else { true } })
  }

  /// Reads a document that takes the place of another.
  init(replacement value: BSONValue) throws(DocumentError) {
    guard let elements = value.elements else {
      throw .badArgument("a replacement needs to be a document")
    }
    for element in elements where element.key.hasPrefix("$") {
      throw .badArgument("a replacement has no operators, as \(element.key)")
    }
    content = .replacement(value)
  }

  var isReplacement: Bool { if case .replacement = content { true } else { false } }

  /// The properties that the update may change; nil for all.
  var fields: Set<String>? {
    guard case .operators(let changes) = content else { return nil }
    var fields: Set<String> = []
    for (operation, path) in changes {
      fields.insert(path.field)
      if case .rename(let target) = operation { fields.insert(target.field) }
    }
    return fields
  }

  /// What is added to integers, by their properties: others may add at the same time.
  var increments: [String: Int64] {
    guard case .operators(let changes) = content else { return [:] }
    var increments: [String: Int64] = [:]
    for case (.increase(let number), let path) in changes where path.steps.count == 1 {
      switch number {
      case .int32, .int64: increments[path.field] = number.integer
      case .double, .decimal: continue
      }
    }
    return increments
  }

  /// The document after the update.
  ///
  /// - Parameters:
  ///   - isNew: Whether the document is made by the update.
  ///   - now: The time of `$currentDate`.
  func applied(
    to document: BSONValue, isNew: Bool, now: OriginTimestamp, _ work: inout DocumentWork
  ) throws(DocumentError) -> BSONValue {
    switch content {
    case .replacement(let value):
      guard let id = document["_id"] else { return value }
      var elements = (value.elements ?? []).filter { $0.key != "_id" }
      if let other = value["_id"], !BSONOrder.areEqual(other, id) { throw Self.immutableID }
      elements.insert(BSONElement("_id", id), at: 0)
      return .document(elements)
    case .operators(let changes):
      var result = document
      for (operation, path) in changes {
        try work.spend()
        try operation.apply(to: &result, at: path, isNew: isNew, now: now, &work)
      }
      if let id = document["_id"], !BSONOrder.areEqual(result["_id"] ?? .null, id) {
        throw Self.immutableID
      }
      return result
    }
  }

  private static var immutableID: DocumentError {
    .failed("performing an update on the path '_id' would modify the immutable field '_id'")
  }

  /// The document that an upsert makes, without a default `_id`.
  func made(
    from query: DocumentQuery, now: OriginTimestamp, _ work: inout DocumentWork
  ) throws(DocumentError) -> BSONValue {
    var document = BSONValue.document([])
    for (path, value) in query.equalities() {
      if isReplacement, path.steps != ["_id"] { continue }
      try path.set(value, in: &document)
    }
    return try applied(to: document, isNew: true, now: now, &work)
  }
}
