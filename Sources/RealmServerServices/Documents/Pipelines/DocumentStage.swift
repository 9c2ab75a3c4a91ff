// SPDX-License-Identifier: Apache-2.0

// The stages of aggregation pipelines. Others are refused by their names.

#if Server
import RealmFormats

/// A stage of a pipeline.
enum DocumentStage: Sendable {
  case match(DocumentQuery)
  case project(DocumentProjection)
  case sort(DocumentSort)
  case limit(Int)
  case skip(Int)
  case group(DocumentGroup)
  case count(String)
  case unwind(DocumentUnwinding)
  case addFields([(path: DocumentPath, expression: DocumentExpression)])
  case replaceRoot(DocumentExpression)
  case lookup(DocumentLookup)

  /// The names of stages.
  enum Name: String, CaseIterable {
    case match = "$match"
    case project = "$project"
    case unset = "$unset"
    case sort = "$sort"
    case limit = "$limit"
    case skip = "$skip"
    case group = "$group"
    case count = "$count"
    case unwind = "$unwind"
    case addFields = "$addFields"
    case set = "$set"
    case replaceRoot = "$replaceRoot"
    case replaceWith = "$replaceWith"
    case lookup = "$lookup"
  }

  init(_ value: BSONValue) throws(DocumentError) {
    guard let elements = value.elements, elements.count == 1 else {
      throw .badArgument("a stage of a pipeline is a document with one field")
    }
    let (name, value) = (elements[0].key, elements[0].value)
    guard let stage = Name(rawValue: name) else {
      throw .unsupported("unrecognized pipeline stage name: '\(name)'")
    }
    switch stage {
    case .match: self = .match(try DocumentQuery(value))
    case .project: self = .project(try DocumentProjection(value, isStage: true))
    case .unset:
      var elements: [BSONElement] = []
      for field in value.values ?? [value] {
        guard let text = field.text else { throw .badArgument("$unset needs names of fields") }
        elements.append(BSONElement(text, .int32(0)))
      }
      self = .project(try DocumentProjection(.document(elements)))
    case .sort: self = .sort(try DocumentSort(value))
    case .limit:
      self = .limit(try Self.number(value, name, from: 1))
    case .skip: self = .skip(try Self.number(value, name, from: 0))
    case .group: self = .group(try DocumentGroup(value))
    case .count:
      guard let field = value.text, !field.isEmpty, !field.contains("."), !field.hasPrefix("$")
      else { throw .badArgument("$count needs the name of a field") }
      self = .count(field)
    case .unwind: self = .unwind(try DocumentUnwinding(value))
    case .addFields, .set:
      guard let elements = value.elements else { throw .badArgument("\(name) needs a document") }
      var fields: [(path: DocumentPath, expression: DocumentExpression)] = []
      for element in elements {
        fields.append((try DocumentPath(element.key), try DocumentExpression(element.value)))
      }
      self = .addFields(fields)
    case .replaceRoot:
      guard let root = value["newRoot"] else { throw .badArgument("$replaceRoot needs newRoot") }
      self = .replaceRoot(try DocumentExpression(root))
    case .replaceWith: self = .replaceRoot(try DocumentExpression(value))
    case .lookup: self = .lookup(try DocumentLookup(value))
    }
  }

  private static func number(
    _ value: BSONValue, _ name: String, from low: Int
  ) throws(DocumentError) -> Int {
    guard let number = value.wholeNumber, number >= low, number <= Int.max / 2 else {
      throw .badArgument("\(name) needs a number from \(low) on")
    }
    return Int(number)
  }
}

/// A stage `$group`: the expression of the key, and the accumulators.
struct DocumentGroup: Sendable {
  let key: DocumentExpression
  let accumulators: [GroupAccumulator]

  init(_ value: BSONValue) throws(DocumentError) {
    guard let elements = value.elements, let id = value["_id"] else {
      throw .badArgument("$group needs an _id")
    }
    key = try DocumentExpression(id)
    var accumulators: [GroupAccumulator] = []
    for element in elements where element.key != "_id" {
      accumulators.append(try GroupAccumulator(element))
    }
    self.accumulators = accumulators
  }
}

/// A stage `$unwind`: a document for each element of an array.
struct DocumentUnwinding: Sendable {
  let path: DocumentPath
  let keepsEmpty: Bool
  let indexPath: DocumentPath?

  init(_ value: BSONValue) throws(DocumentError) {
    let options: Set<String> = ["path", "preserveNullAndEmptyArrays", "includeArrayIndex"]
    for element in value.elements ?? [] where !options.contains(element.key) {
      throw .unsupported("$unwind has the unknown option \(element.key)")
    }
    guard let text = value.text ?? value["path"]?.text, text.hasPrefix("$") else {
      throw .badArgument("$unwind needs a path that begins with $")
    }
    path = try DocumentPath(String(text.dropFirst()))
    keepsEmpty = value["preserveNullAndEmptyArrays"]?.isTrue ?? false
    if let index = value["includeArrayIndex"]?.text {
      indexPath = try DocumentPath(index)
    } else {
      indexPath = nil
    }
  }

  /// Visits the documents in place of one, until a visit returns false. One is made at a time.
  ///
  /// - Returns: Whether all were visited.
  func visit(
    _ document: BSONValue, _ work: inout DocumentWork,
    _ body: (BSONValue, inout DocumentWork) throws(DocumentError) -> Bool
  ) throws(DocumentError) -> Bool {
    guard let value = path.place(in: document), value != .null else {
      return keepsEmpty ? try body(document, &work) : true
    }
    guard let elements = value.values else { return try body(document, &work) }
    if elements.isEmpty, keepsEmpty {
      var result = document
      try path.unset(in: &result, &work)
      return try body(result, &work)
    }
    for (index, element) in elements.enumerated() {
      var result = document
      let mark = work.madeByteCount
      try path.set(element, in: &result, &work)
      try indexPath?.set(.int64(Int64(index)), in: &result, &work)
      work.forgetMade(since: mark)
      if try !body(result, &work) { return false }
    }
    return true
  }
}

/// A stage `$lookup` by the equality of two fields.
struct DocumentLookup: Sendable {
  let collection: String
  let local: DocumentPath
  let foreign: DocumentPath
  let result: DocumentPath

  init(_ value: BSONValue) throws(DocumentError) {
    let options = ["from", "localField", "foreignField", "as"]
    for element in value.elements ?? [] where !options.contains(element.key) {
      throw .unsupported("$lookup with \(element.key) is not supported")
    }
    let texts = options.compactMap { value[$0]?.text }
    guard texts.count == options.count else {
      throw .badArgument("$lookup needs from, localField, foreignField and as")
    }
    collection = texts[0]
    local = try DocumentPath(texts[1])
    foreign = try DocumentPath(texts[2])
    result = try DocumentPath(texts[3])
  }

  /// The query for the documents that belong to one.
  func query(
    for document: BSONValue, _ work: inout DocumentWork
  ) throws(DocumentError) -> DocumentQuery {
    var values: [BSONValue] = []
    for value in try local.values(in: document, &work).values {
      let more = value.values ?? [value]
      try work.make(byteCount: more.count * 40)
      values += more
    }
    return .field(foreign, .oneOf(values.isEmpty ? [.null] : values, []))
  }
}
#endif
