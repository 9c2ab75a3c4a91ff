// SPDX-License-Identifier: Apache-2.0

// Update documents: operators, or a new document.
//
// Invariants:
// 1. No two operators change the same value, or parts of it: their order makes no difference.

#if Server
import RealmFormats
import RealmSyncProtocol

/// A change of documents.
struct DocumentUpdate: Sendable {
  private enum Content: Sendable {
    case replacement(BSONValue)
    case operators([(operation: UpdateOperator, path: DocumentPath)])
  }

  private let content: Content
  private var filters = ArrayFilters()

  /// Reads an update of operators, or one without, as clients of the former service send it: a new
  /// document for one that is found, and fields to set for many.
  ///
  /// - Parameter filters: The conditions of places like `$[name]`; nil for none.
  init(
    _ value: BSONValue, isMany: Bool, filters: BSONValue? = nil
  ) throws(DocumentError) {
    guard let first = value.elements?.first, !first.key.hasPrefix("$") else {
      try self.init(operators: value, filters: filters)
      return
    }
    guard filters == nil else {
      throw .badArgument("an update without operators has no arrayFilters")
    }
    if let key = value.elements?.first(where: { $0.key.hasPrefix("$") })?.key {
      throw .badArgument(
        "an update has operators, as \(key), or fields, as '\(first.key)', and not both")
    }
    if isMany {
      try self.init(operators: .document([BSONElement("$set", value)]))
    } else {
      try self.init(replacement: value)
    }
  }

  /// Reads operators.
  init(
    operators value: BSONValue, filters: BSONValue? = nil
  ) throws(DocumentError) {
    guard let elements = value.elements else {
      if value.values != nil { throw .unsupported("updates by a pipeline are not supported") }
      throw .badArgument("an update needs to be a document")
    }
    self.filters = try ArrayFilters(filters)
    var changes: [(operation: UpdateOperator, path: DocumentPath)] = []
    for element in elements {
      guard element.key.hasPrefix("$") else {
        throw .badArgument(
          "an update has operators or fields, as '\(element.key)', and not both")
      }
      guard let fields = element.value.elements else {
        throw .badArgument("\(element.key) needs a document with fields")
      }
      for field in fields {
        let path = try DocumentPath(field.key)
        try self.filters.check(path)
        let operation = try UpdateOperator(element.key, field.value)
        changes.append((operation, path))
        if case .rename(let target) = operation {
          guard !path.hasFilters, !target.hasFilters else {
            throw .unsupported("$rename has no places of arrays, as '\(path.text)'")
          }
          changes.append((.renameTarget, target))
        }
      }
    }
    guard !changes.isEmpty else { throw .badArgument("the update has no operators") }
    try self.filters.checkAllAreUsed()
    try Self.checkConflicts(changes.map(\.path))
    content = .operators(
      changes.filter { if case .renameTarget = $0.operation { false } else { true } })
  }

  /// `DocumentUpdate` 1
  private static func checkConflicts(_ paths: [DocumentPath]) throws(DocumentError) {
    let sorted = paths.sorted { $0.steps.lexicographicallyPrecedes($1.steps) }
    for (first, second) in zip(sorted, sorted.dropFirst()) where first.overlaps(second) {
      throw .failed("updating the path '\(second.text)' would create a conflict at '\(first.text)'")
    }
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
      let mark = work.madeByteCount
      for (operation, path) in try places(of: changes, in: document, &work) {
        try work.spend()
        try operation.apply(to: &result, at: path, isNew: isNew, now: now, &work)
      }
      // What was made is in the result.
      work.forgetMade(since: mark)
      try work.make(result)
      work.forgetMade(since: mark)
      if let id = document["_id"], !BSONOrder.areEqual(result["_id"] ?? .null, id) {
        throw Self.immutableID
      }
      return result
    }
  }

  /// The changes with paths that lead to one place each.
  private func places(
    of changes: [(operation: UpdateOperator, path: DocumentPath)], in document: BSONValue,
    _ work: inout DocumentWork
  ) throws(DocumentError) -> [(operation: UpdateOperator, path: DocumentPath)] {
    guard changes.contains(where: { $0.path.hasFilters }) else { return changes }
    var places: [(operation: UpdateOperator, path: DocumentPath)] = []
    var paths: [DocumentPath] = []
    for (operation, path) in changes {
      for place in try path.expanded(in: document, &work, filters.chooses) {
        places.append((operation, place))
        paths.append(place)
      }
      if case .rename(let target) = operation { paths.append(target) }
    }
    try Self.checkConflicts(paths)
    return places
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
      try path.set(value, in: &document, &work)
    }
    return try applied(to: document, isNew: true, now: now, &work)
  }
}
#endif
