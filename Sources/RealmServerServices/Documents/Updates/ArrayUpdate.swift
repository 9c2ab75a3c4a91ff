// SPDX-License-Identifier: Apache-2.0

// The operators of updates that change arrays.

#if Server
import RealmFormats

/// A change of an array.
enum ArrayUpdate: Sendable {
  case push(Push)
  case addToSet([BSONValue])
  case pop(isFirst: Bool)
  case pull(Pull)
  case pullAll([BSONValue])

  /// `$push` with its modifiers.
  struct Push: Sendable {
    var values: [BSONValue]
    var position: Int?
    var slice: Int?
    var sort: PushSort?
  }

  enum PushSort: Sendable {
    case values(isDescending: Bool)
    case fields(DocumentSort)
  }

  /// The elements that `$pull` removes.
  enum Pull: Sendable {
    case equal(BSONValue)
    /// A condition on documents.
    case documents(DocumentQuery)
    /// A condition on the field `value` of a document around the element.
    case values(DocumentQuery)
  }

  /// Nil for a name of no operator of arrays.
  init?(_ name: String, _ value: BSONValue) throws(DocumentError) {
    switch name {
    case "$push": self = .push(try Self.readPush(value))
    case "$addToSet":
      guard let first = value.elements?.first, first.key.hasPrefix("$") else {
        self = .addToSet([value])
        return
      }
      guard first.key == "$each", value.elements?.count == 1, let values = first.value.values else {
        throw .unsupported("$addToSet has the modifier \(first.key), and $each alone is supported")
      }
      self = .addToSet(values)
    case "$pop":
      guard let number = value.wholeNumber, number == 1 || number == -1 else {
        throw .badArgument("$pop needs 1 or -1")
      }
      self = .pop(isFirst: number == -1)
    case "$pull": self = .pull(try Self.readPull(value))
    case "$pullAll":
      guard let values = value.values else { throw .badArgument("$pullAll needs an array") }
      self = .pullAll(values)
    default: return nil
    }
  }

  private static func readPush(_ value: BSONValue) throws(DocumentError) -> Push {
    guard let elements = value.elements, elements.contains(where: { $0.key.hasPrefix("$") }) else {
      return Push(values: [value])
    }
    guard let values = value["$each"]?.values else {
      throw .badArgument("$push with modifiers needs an array as $each")
    }
    var push = Push(values: values)
    for element in elements where element.key != "$each" {
      switch element.key {
      case "$position", "$slice":
        guard let number = element.value.wholeNumber, let count = Int(exactly: number),
          count.magnitude <= 1 << 40
        else { throw .badArgument("\(element.key) needs a number") }
        if element.key == "$position" { push.position = count } else { push.slice = count }
      case "$sort":
        switch element.value.wholeNumber {
        case 1: push.sort = .values(isDescending: false)
        case -1: push.sort = .values(isDescending: true)
        default: push.sort = .fields(try DocumentSort(element.value))
        }
      default: throw .unsupported("$push has the unknown modifier \(element.key)")
      }
    }
    return push
  }

  private static func readPull(_ value: BSONValue) throws(DocumentError) -> Pull {
    guard let elements = value.elements else {
      if case .regularExpression = value {
        return .values(try DocumentQuery(.document([BSONElement("value", value)])))
      }
      return .equal(value)
    }
    if let first = elements.first, first.key.hasPrefix("$"), first.key != "$ref" {
      return .values(try DocumentQuery(.document([BSONElement("value", value)])))
    }
    return .documents(try DocumentQuery(value))
  }

  // MARK: Applying

  func apply(
    to document: inout BSONValue, at path: DocumentPath, _ work: inout DocumentWork
  ) throws(DocumentError) {
    let known = path.place(in: document)
    var elements: [BSONValue] = []
    switch known {
    case .array(let values)?: elements = values
    case nil, .null?: break
    default:
      throw .failed("the value at '\(path.text)' is no array")
    }
    let count = elements.count
    try work.spend(1 + count)
    switch self {
    case .push(let push): try Self.add(push, to: &elements, &work)
    case .addToSet(let values):
      for value in values {
        if try !BSONOrder.contains(elements, value, &work) { elements.append(value) }
      }
    case .pop(let isFirst):
      guard known != nil, !elements.isEmpty else { return }
      if isFirst { elements.removeFirst() } else { elements.removeLast() }
    case .pull(let pull):
      guard known != nil else { return }
      var kept: [BSONValue] = []
      for element in elements where try !Self.removes(pull, element, &work) { kept.append(element) }
      elements = kept
    case .pullAll(let values):
      guard known != nil else { return }
      var kept: [BSONValue] = []
      for element in elements where try !BSONOrder.contains(values, element, &work) {
        kept.append(element)
      }
      elements = kept
    }
    try path.set(.array(elements), in: &document, &work)
  }

  private static func add(
    _ push: Push, to elements: inout [BSONValue], _ work: inout DocumentWork
  ) throws(DocumentError) {
    let position = push.position ?? elements.count
    let place =
      position < 0 ? max(0, elements.count + position) : min(position, elements.count)
    elements.insert(contentsOf: push.values, at: place)
    switch push.sort {
    case nil: break
    case .values(let isDescending):
      try BSONOrder.sort(&elements, &work) { (left, right, work) throws(DocumentError) in
        let order = try BSONOrder.compare(left, right, &work)
        return isDescending ? -order : order
      }
    case .fields(let sort): elements = try sort.sorted(elements, &work)
    }
    guard let slice = push.slice else { return }
    elements = Array(slice < 0 ? elements.suffix(-slice) : elements.prefix(slice))
  }

  private static func removes(
    _ pull: Pull, _ element: BSONValue, _ work: inout DocumentWork
  ) throws(DocumentError) -> Bool {
    switch pull {
    case .equal(let value): return try BSONOrder.areEqual(value, element, &work)
    case .documents(let query):
      guard element.elements != nil else { return false }
      return try query.matches(element, &work)
    case .values(let query):
      return try query.matches(.document([BSONElement("value", element)]), &work)
    }
  }
}
#endif
