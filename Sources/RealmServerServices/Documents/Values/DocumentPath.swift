// SPDX-License-Identifier: Apache-2.0

// Paths with dots into documents.
//
// Invariants:
// 1. A path has at least one step, and none is empty, but for the path to nothing.

#if Server
import RealmFormats

/// A path like `home.street` or `tags.0`.
struct DocumentPath: Hashable, Sendable {
  /// The most steps of a path.
  static let stepCountMax = 64
  /// The longest array that a path by an index may make.
  static let indexMax = 10_000

  let steps: [String]

  /// The path of a condition without a name, as of `{"": null}`: no document has anything there.
  static let nothing = DocumentPath(steps: [""])

  private init(steps: [String]) { self.steps = steps }

  init(_ text: String) throws(DocumentError) {
    let steps = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard !steps.contains(""), steps.count <= Self.stepCountMax else {
      throw .badArgument("'\(text)' is no path of a document")
    }
    self.steps = steps
  }

  var text: String { steps.joined(separator: ".") }

  /// The property with the value.
  var field: String { steps[0] }

  /// Whether one path leads to a part of what the other leads to.
  func overlaps(_ other: DocumentPath) -> Bool {
    zip(steps, other.steps).allSatisfy { $0 == $1 }
  }

  // MARK: Reading

  /// What a path leads to: arrays in its middle stand for each of their documents.
  struct Found {
    var values: [BSONValue] = []
    /// Whether a document has nothing there.
    var isMissing = false
  }

  func values(
    in document: BSONValue, _ work: inout DocumentWork
  ) throws(DocumentError) -> Found {
    var found = Found()
    try collect(document, steps[...], &found, &work)
    if found.values.isEmpty { found.isMissing = true }
    return found
  }

  /// An index and a name can both lead on in an array of documents, so a path may come to a value
  /// in many ways: each is counted.
  private func collect(
    _ value: BSONValue, _ steps: ArraySlice<String>, _ found: inout Found,
    _ work: inout DocumentWork
  ) throws(DocumentError) {
    guard let step = steps.first else {
      try work.make(byteCount: 40)
      return found.values.append(value)
    }
    switch value {
    case .document(let elements):
      try work.spend(1 + elements.count / 8)
      guard let next = value[step] else {
        found.isMissing = true
        return
      }
      try collect(next, steps.dropFirst(), &found, &work)
    case .array(let elements):
      try work.spend(1 + elements.count / 8)
      if let index = Int(step), elements.indices.contains(index) {
        try collect(elements[index], steps.dropFirst(), &found, &work)
      }
      for element in elements {
        if case .document = element { try collect(element, steps, &found, &work) }
      }
    default: return
    }
  }

  /// The value for an aggregation: documents of arrays give an array; nil if there is none.
  func value(
    in document: BSONValue, _ work: inout DocumentWork
  ) throws(DocumentError) -> BSONValue? {
    try Self.value(document, steps[...], &work)
  }

  private static func value(
    _ value: BSONValue, _ steps: ArraySlice<String>, _ work: inout DocumentWork
  ) throws(DocumentError) -> BSONValue? {
    guard let step = steps.first else { return value }
    switch value {
    case .document(let elements):
      try work.spend(1 + elements.count / 8)
      guard let next = value[step] else { return nil }
      return try Self.value(next, steps.dropFirst(), &work)
    case .array(let elements):
      try work.make(byteCount: 32 + elements.count * 40)
      var values: [BSONValue] = []
      for element in elements {
        if let value = try Self.value(element, steps, &work) { values.append(value) }
      }
      return .array(values)
    default: return nil
    }
  }

  /// The value that an update changes: arrays have indices alone; nil if there is none.
  func place(in document: BSONValue) -> BSONValue? {
    steps.reduce(document) { (value, step) -> BSONValue? in
      switch value {
      case .document: value?[step]
      case .array(let elements):
        Int(step).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
      default: nil
      }
    }
  }

  // MARK: Places of arrays

  /// The name of a step for all elements of an array.
  static let allElements = "$[]"

  /// The name of the filter of a step like `$[name]`, empty for `$[]`; nil for other steps.
  static func filterName(_ step: String) -> Substring? {
    step.hasPrefix("$[") && step.hasSuffix("]") ? step.dropFirst(2).dropLast() : nil
  }

  /// Whether the path leads to elements of arrays that filters choose.
  var hasFilters: Bool { steps.contains { Self.filterName($0) != nil } }

  /// The paths without filters that this one stands for in a document.
  ///
  /// - Parameter chooses: Whether the filter of a name takes an element.
  func expanded(
    in document: BSONValue, _ work: inout DocumentWork,
    _ chooses: (Substring, BSONValue, inout DocumentWork) throws(DocumentError) -> Bool
  ) throws(DocumentError) -> [DocumentPath] {
    guard let place = steps.firstIndex(where: { Self.filterName($0) != nil }),
      let name = Self.filterName(steps[place])
    else { return [self] }
    let before = DocumentPath(steps: Array(steps[..<place]))
    guard case .array(let elements)? = before.place(in: document) else {
      throw .failed("the value at '\(before.text)' is no array, as '\(text)' needs it")
    }
    var paths: [DocumentPath] = []
    for (index, element) in elements.enumerated() {
      try work.spend()
      let isChosen = name.isEmpty ? true : try chooses(name, element, &work)
      guard isChosen else { continue }
      let path = DocumentPath(steps: before.steps + ["\(index)"] + steps[(place + 1)...])
      paths += try path.expanded(in: document, &work, chooses)
    }
    return paths
  }

  // MARK: Writing

  /// Sets the value at the path; documents on the way are made.
  func set(
    _ new: BSONValue, in document: inout BSONValue, _ work: inout DocumentWork
  ) throws(DocumentError) {
    document = try setting(new, in: document, steps[...], &work)
  }

  private func setting(
    _ new: BSONValue, in value: BSONValue?, _ steps: ArraySlice<String>,
    _ work: inout DocumentWork
  ) throws(DocumentError) -> BSONValue {
    guard let step = steps.first else { return new }
    let rest = steps.dropFirst()
    switch value {
    case nil, .null:
      try work.make(byteCount: 80 + step.utf8.count)
      return .document([BSONElement(step, try setting(new, in: nil, rest, &work))])
    case .document(var elements):
      try work.spend(1 + elements.count / 4)
      if let index = elements.firstIndex(where: { $0.key == step }) {
        elements[index].value = try setting(new, in: elements[index].value, rest, &work)
      } else {
        elements.append(BSONElement(step, try setting(new, in: nil, rest, &work)))
      }
      return .document(elements)
    case .array(var elements):
      try work.spend(1 + elements.count / 4)
      guard let index = Int(step), (0...Self.indexMax).contains(index) else {
        throw .failed("cannot make the field '\(step)' in an array, at '\(text)'")
      }
      if elements.count < index {
        try work.make(byteCount: (index - elements.count) * 40)
        while elements.count < index { elements.append(.null) }
      }
      if index == elements.count {
        elements.append(try setting(new, in: nil, rest, &work))
      } else {
        elements[index] = try setting(new, in: elements[index], rest, &work)
      }
      return .array(elements)
    default:
      throw .failed("cannot make the field '\(step)' in a value that is no document, at '\(text)'")
    }
  }

  /// Removes the value at the path; an element of an array becomes null.
  func unset(in document: inout BSONValue, _ work: inout DocumentWork) throws(DocumentError) {
    document = try Self.unsetting(document, steps[...], &work)
  }

  private static func unsetting(
    _ value: BSONValue, _ steps: ArraySlice<String>, _ work: inout DocumentWork
  ) throws(DocumentError) -> BSONValue {
    guard let step = steps.first else { return value }
    let rest = steps.dropFirst()
    switch value {
    case .document(var elements):
      try work.spend(1 + elements.count / 4)
      guard let index = elements.firstIndex(where: { $0.key == step }) else { return value }
      if rest.isEmpty {
        elements.remove(at: index)
      } else {
        elements[index].value = try unsetting(elements[index].value, rest, &work)
      }
      return .document(elements)
    case .array(var elements):
      try work.spend(1 + elements.count / 4)
      guard let index = Int(step), elements.indices.contains(index) else { return value }
      elements[index] = rest.isEmpty ? .null : try unsetting(elements[index], rest, &work)
      return .array(elements)
    default: return value
    }
  }
}

extension BSONValue {
  /// The elements of a document; nil for other values.
  var elements: [BSONElement]? {
    if case .document(let elements) = self { elements } else { nil }
  }

  /// The elements of an array; nil for other values.
  var values: [BSONValue]? {
    if case .array(let values) = self { values } else { nil }
  }

  /// The text; nil for other values.
  var text: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The number as an integer; nil for other values.
  var wholeNumber: Int64? { BSONNumber(self)?.integer }

  /// Whether an expression or a condition takes the value for true.
  var isTrue: Bool {
    switch self {
    case .null: return false
    case .bool(let truth): return truth
    default:
      guard let number = BSONNumber(self) else { return true }
      return number.compare(to: .int32(0)) != 0
    }
  }
}
#endif
