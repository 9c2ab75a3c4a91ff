// SPDX-License-Identifier: Apache-2.0

// Documents on their way through the stages of a pipeline, one after the other.
//
// Invariants:
// 1. Only sorts, groups and the result keep documents, and what they keep is counted.

#if Server
import RealmFormats

/// A pipeline, and what its stages have of a run.
struct DocumentPipeline {
  /// Finds the documents of another collection.
  typealias Lookup =
    (_ collection: String, DocumentQuery, inout DocumentWork) throws(DocumentError) -> [BSONValue]

  private enum State {
    case none
    case count(Int)
    case kept([BSONValue])
    case groups([BSONValue: Int], [(key: BSONValue, states: [GroupAccumulator.State])])
  }

  /// The condition of the first stages, which the database answers.
  let query: DocumentQuery
  private let stages: [DocumentStage]
  private var states: [State]
  private(set) var results: [BSONValue] = []
  private let lookup: Lookup

  init(
    _ value: BSONValue, limits: DocumentLimits, lookup: @escaping Lookup
  ) throws(DocumentError) {
    guard let values = value.values else { throw .badArgument("a pipeline needs to be an array") }
    guard values.count <= limits.stageCount else {
      throw .badArgument("a pipeline has at most \(limits.stageCount) stages")
    }
    var stages: [DocumentStage] = []
    for value in values { stages.append(try DocumentStage(value)) }
    var queries: [DocumentQuery] = []
    while case .match(let query)? = stages.first {
      queries.append(query)
      stages.removeFirst()
    }
    query = .all(queries)
    self.lookup = lookup
    states = stages.map { stage in
      switch stage {
      case .limit, .skip, .count: .count(0)
      case .sort: .kept([])
      case .group: .groups([:], [])
      default: .none
      }
    }
    self.stages = stages
  }

  /// The names of the collections that it reads beside its own.
  var collections: Set<String> {
    var names: Set<String> = []
    for case .lookup(let lookup) in stages { names.insert(lookup.collection) }
    return names
  }

  /// Sends a document through the stages.
  ///
  /// - Returns: Whether more documents can change the result.
  mutating func add(
    _ document: BSONValue, _ work: inout DocumentWork
  ) throws(DocumentError) -> Bool {
    try push(document, to: 0, &work)
  }

  /// Ends the run, after the last document.
  mutating func finish(_ work: inout DocumentWork) throws(DocumentError) {
    for index in stages.indices {
      let state = states[index]
      states[index] = .none
      switch (stages[index], state) {
      case (.sort(let sort), .kept(let documents)):
        for document in try sort.sorted(documents, &work) {
          if try !push(document, to: index + 1, &work) { break }
        }
        work.release(documents)
      case (.group(let group), .groups(_, let groups)):
        for (key, states) in groups {
          let elements = zip(group.accumulators, states).map { BSONElement($0.name, $1.value) }
          let document = BSONValue.document([BSONElement("_id", key)] + elements)
          let mark = work.madeByteCount
          try work.make(document)
          work.forgetMade(since: mark)
          if try !push(document, to: index + 1, &work) { break }
        }
      case (.count(let name), .count(let count)) where count > 0:
        let number: BSONValue = Int32(exactly: count).map { .int32($0) } ?? .int64(Int64(count))
        _ = try push(.document([BSONElement(name, number)]), to: index + 1, &work)
      default: continue
      }
    }
  }

  /// Sends a document through stages from one on. A stage that makes one document of one takes its
  /// place, so that no more than one is there (`DocumentPipeline` 1).
  private mutating func push(
    _ document: BSONValue, to first: Int, _ work: inout DocumentWork
  ) throws(DocumentError) -> Bool {
    var (document, index) = (document, first)
    while index < stages.count {
      try work.spend()
      let mark = work.madeByteCount
      guard let next = try Self.step(stages[index], document, lookup, &work) else {
        return try collect(document, at: index, &work)
      }
      work.forgetMade(since: mark)
      guard case .document(let changed) = next else { return true }
      document = changed
      index += 1
    }
    try work.keep(document)
    results.append(document)
    return true
  }

  /// What a stage makes of a document by itself.
  private enum Step {
    case document(BSONValue)
    case nothing
  }

  /// What a stage makes of a document; nil if that depends on others, or is several documents.
  private static func step(
    _ stage: DocumentStage, _ document: BSONValue, _ lookup: Lookup, _ work: inout DocumentWork
  ) throws(DocumentError) -> Step? {
    switch stage {
    case .match(let query):
      return try query.matches(document, &work) ? .document(document) : .nothing
    case .project(let projection): return .document(try projection.applied(to: document, &work))
    case .addFields(let fields):
      let mark = work.madeByteCount
      var result = document
      for (path, expression) in fields {
        if let value = try expression.value(in: document, &work) {
          try path.set(value, in: &result, &work)
        } else {
          try path.unset(in: &result, &work)
        }
      }
      // The new fields are in the document.
      work.forgetMade(since: mark)
      try work.make(result)
      return .document(result)
    case .replaceRoot(let expression):
      guard let root = try expression.value(in: document, &work), root.elements != nil else {
        throw .failed("the new root of a document is no document")
      }
      return .document(root)
    case .lookup(let join):
      let found = try lookup(join.collection, join.query(for: document, &work), &work)
      var result = document
      try join.result.set(.array(found), in: &result, &work)
      try work.make(result)
      return .document(result)
    case .unwind, .sort, .limit, .skip, .count, .group: return nil
    }
  }

  /// Takes a document to a stage that has a state, or that makes several documents of it.
  private mutating func collect(
    _ document: BSONValue, at index: Int, _ work: inout DocumentWork
  ) throws(DocumentError) -> Bool {
    switch stages[index] {
    case .match, .project, .addFields, .replaceRoot, .lookup: return true
    case .unwind(let unwinding):
      // It is there while the documents in its place go on.
      let byteCount = try work.keep(document)
      let isUseful = try unwinding.visit(document, &work) { (part, work) throws(DocumentError) in
        try push(part, to: index + 1, &work)
      }
      work.release(byteCount: byteCount)
      return isUseful
    case .sort:
      guard case .kept(var documents) = states[index] else { return false }
      states[index] = .none
      try work.keep(document)
      documents.append(document)
      states[index] = .kept(documents)
      return true
    case .limit(let limit):
      guard case .count(let count) = states[index], count < limit else { return false }
      states[index] = .count(count + 1)
      return try push(document, to: index + 1, &work) && count + 1 < limit
    case .skip(let skipped):
      guard case .count(let count) = states[index], count < skipped else {
        return try push(document, to: index + 1, &work)
      }
      states[index] = .count(count + 1)
      return true
    case .count:
      guard case .count(let count) = states[index] else { return false }
      states[index] = .count(count + 1)
      return true
    case .group(let group):
      try add(document, to: group, at: index, &work)
      return true
    }
  }

  private mutating func add(
    _ document: BSONValue, to group: DocumentGroup, at index: Int, _ work: inout DocumentWork
  ) throws(DocumentError) {
    guard case .groups(var places, var groups) = states[index] else { return }
    // The state is moved, not copied.
    states[index] = .none
    let mark = work.madeByteCount
    defer { work.forgetMade(since: mark) }
    let key = try group.key.value(in: document, &work) ?? .null
    let normal = try BSONOrder.normal(key, &work)
    let place: Int
    if let known = places[normal] {
      place = known
    } else {
      try work.keep(normal)
      try work.keep(key)
      place = groups.count
      places[normal] = place
      groups.append((key, group.accumulators.map { GroupAccumulator.State($0.kind) }))
    }
    for (number, accumulator) in group.accumulators.enumerated() {
      try accumulator.add(document, to: &groups[place].states[number], &work)
    }
    states[index] = .groups(places, groups)
  }
}
#endif
