// SPDX-License-Identifier: Apache-2.0

// The fields of results.
//
// Invariants:
// 1. A projection names the fields that stay, or those that go; `_id` alone may be of the other
//    kind.

#if Server
import RealmFormats

/// A selection of fields, with computed ones in pipelines.
struct DocumentProjection: Sendable {
  /// A tree of names; nil at a name for all below it.
  private indirect enum Tree: Sendable {
    case whole
    case parts([String: Tree])

    mutating func insert(_ steps: ArraySlice<String>) {
      guard let step = steps.first else { return self = .whole }
      guard case .parts(var parts) = self else { return }
      var part = parts[step] ?? .parts([:])
      part.insert(steps.dropFirst())
      parts[step] = part
      self = .parts(parts)
    }
  }

  private var tree = Tree.parts([:])
  private var isInclusion = false
  private var keepsID = true
  private var computed: [(path: DocumentPath, expression: DocumentExpression)] = []

  /// Reads a projection.
  ///
  /// - Parameter isStage: Whether it may compute fields.
  init(_ value: BSONValue, isStage: Bool = false) throws(DocumentError) {
    guard let elements = value.elements else {
      throw .badArgument("a projection needs to be a document")
    }
    var isInclusion: Bool?
    var keepsID: Bool?
    for element in elements {
      let path = try DocumentPath(element.key)
      if element.key.hasPrefix("$") {
        throw .unsupported("unknown operator of projections: \(element.key)")
      }
      switch element.value {
      case .bool, .int32, .int64, .double, .decimal:
        try keep(element.value.isTrue, path, &isInclusion, &keepsID)
      case let value where !isStage && !Self.isComputed(value):
        guard value.elements == nil, value.values == nil else {
          throw .unsupported(
            "the projection of '\(element.key)' is not supported: a value that is true or false is")
        }
        try keep(value.isTrue, path, &isInclusion, &keepsID)
      default:
        guard isInclusion ?? true else {
          throw .badArgument("a projection names fields that stay or fields that go, not both")
        }
        isInclusion = true
        computed.append((path, try DocumentExpression(element.value)))
      }
    }
    self.isInclusion = isInclusion ?? keepsID ?? false
    self.keepsID = keepsID ?? true
    if isInclusion == nil, keepsID == true { tree.insert(["_id"]) }
  }

  /// Whether a value of a call's projection is the path of another field.
  private static func isComputed(_ value: BSONValue) -> Bool { value.text?.hasPrefix("$") == true }

  private mutating func keep(
    _ isKept: Bool, _ path: DocumentPath, _ isInclusion: inout Bool?, _ keepsID: inout Bool?
  ) throws(DocumentError) {
    guard path.steps != ["_id"] else { return keepsID = isKept }
    guard isInclusion ?? isKept == isKept else {
      throw .badArgument("a projection names fields that stay or fields that go, not both")
    }
    isInclusion = isKept
    tree.insert(path.steps[...])
  }

  func applied(
    to document: BSONValue, _ work: inout DocumentWork
  ) throws(DocumentError) -> BSONValue {
    try work.spend()
    var tree = tree
    if isInclusion == keepsID { tree.insert(["_id"]) }
    var result =
      isInclusion
      ? try Self.including(tree, document, &work) : try Self.excluding(tree, document, &work)
    guard !computed.isEmpty else { return result }
    let mark = work.madeByteCount
    for (path, expression) in computed {
      if let value = try expression.value(in: document, &work) {
        try path.set(value, in: &result, &work)
      } else {
        try path.unset(in: &result, &work)
      }
    }
    // What was made is in the result.
    work.forgetMade(since: mark)
    try work.make(result)
    work.forgetMade(since: mark)
    return result
  }

  private static func including(
    _ tree: Tree, _ value: BSONValue, _ work: inout DocumentWork
  ) throws(DocumentError) -> BSONValue {
    guard case .parts(let parts) = tree else { return value }
    switch value {
    case .document(let elements):
      var kept: [BSONElement] = []
      for element in elements {
        try work.spend()
        guard let part = parts[element.key] else { continue }
        if case .parts = part, !element.value.hasParts { continue }
        kept.append(BSONElement(element.key, try including(part, element.value, &work)))
      }
      return .document(kept)
    case .array(let values):
      var kept: [BSONValue] = []
      for value in values {
        try work.spend()
        if value.hasParts { kept.append(try including(tree, value, &work)) }
      }
      return .array(kept)
    default: return value
    }
  }

  private static func excluding(
    _ tree: Tree, _ value: BSONValue, _ work: inout DocumentWork
  ) throws(DocumentError) -> BSONValue {
    guard case .parts(let parts) = tree else { return value }
    switch value {
    case .document(let elements):
      var kept: [BSONElement] = []
      for element in elements {
        try work.spend()
        switch parts[element.key] {
        case nil: kept.append(element)
        case .whole: continue
        case let part?:
          kept.append(BSONElement(element.key, try excluding(part, element.value, &work)))
        }
      }
      return .document(kept)
    case .array(let values):
      var kept: [BSONValue] = []
      for value in values {
        try work.spend()
        kept.append(try excluding(tree, value, &work))
      }
      return .array(kept)
    default: return value
    }
  }
}

extension BSONValue {
  fileprivate var hasParts: Bool { elements != nil || values != nil }
}
#endif
