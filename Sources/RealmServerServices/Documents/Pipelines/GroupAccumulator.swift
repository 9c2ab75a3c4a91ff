// SPDX-License-Identifier: Apache-2.0

// The accumulators of `$group`.

#if Server
import RealmFormats

/// An accumulator with its expression.
struct GroupAccumulator: Sendable {
  enum Kind: String, CaseIterable, Sendable {
    case sum = "$sum"
    case average = "$avg"
    case minimum = "$min"
    case maximum = "$max"
    case first = "$first"
    case last = "$last"
    case push = "$push"
    case addToSet = "$addToSet"
    case count = "$count"
  }

  let name: String
  let kind: Kind
  private let expression: DocumentExpression

  init(_ element: BSONElement) throws(DocumentError) {
    guard !element.key.contains("."), !element.key.hasPrefix("$") else {
      throw .badArgument("'\(element.key)' is no name of a field of $group")
    }
    guard let elements = element.value.elements, elements.count == 1 else {
      throw .badArgument("'\(element.key)' of $group needs one accumulator")
    }
    guard let kind = Kind(rawValue: elements[0].key) else {
      throw .unsupported("unknown group operator '\(elements[0].key)'")
    }
    name = element.key
    self.kind = kind
    expression = try DocumentExpression(kind == .count ? .int32(1) : elements[0].value)
  }

  func add(
    _ document: BSONValue, to state: inout State, _ work: inout DocumentWork
  ) throws(DocumentError) {
    try state.add(expression.value(in: document, &work), &work)
  }

  /// What an accumulator has seen.
  struct State {
    private let kind: Kind
    private let countsKept: Bool
    /// What was counted for `kept`.
    private var keptByteCount = 0
    private var total = BSONNumber.int32(0)
    private var count: Int64 = 0
    private var kept: BSONValue?
    private var values: [BSONValue] = []
    private var known: Set<BSONValue> = []

    /// - Parameter countsKept: Whether values are kept longer than they would be otherwise.
    init(_ kind: Kind, countsKept: Bool = true) {
      self.kind = kind
      self.countsKept = countsKept
    }

    mutating func add(_ value: BSONValue?, _ work: inout DocumentWork) throws(DocumentError) {
      try work.spend()
      switch kind {
      case .sum, .count:
        if let number = value.flatMap({ BSONNumber($0) }) { total = try total + number }
      case .average:
        guard let number = value.flatMap({ BSONNumber($0) }) else { return }
        total = try total + number
        count += 1
      case .minimum, .maximum:
        guard let value, value != .null else { return }
        guard let kept else { return try keep(value, &work) }
        let order = try BSONOrder.compare(value, kept, &work)
        if kind == .minimum ? order < 0 : order > 0 { try keep(value, &work) }
      case .first:
        if count == 0 { try keep(value, &work) }
        count += 1
      case .last: try keep(value, &work)
      case .push:
        guard let value else { return }
        try work.keep(value)
        values.append(value)
      case .addToSet:
        guard let value else { return }
        let normal = try BSONOrder.normal(value, &work)
        guard known.insert(normal).inserted else { return }
        try work.keep(normal)
        try work.keep(value)
        values.append(value)
      }
    }

    /// Keeps a value in the place of the one before.
    private mutating func keep(
      _ value: BSONValue?, _ work: inout DocumentWork
    ) throws(DocumentError) {
      if countsKept {
        work.release(byteCount: keptByteCount)
        keptByteCount = try work.keep(value ?? .null)
      }
      kept = value
    }

    var value: BSONValue {
      switch kind {
      case .sum, .count: return total.value
      case .average:
        guard count > 0 else { return .null }
        return (try? total.divided(by: .int64(count)).value) ?? .null
      case .minimum, .maximum, .first, .last: return kept ?? .null
      case .push, .addToSet: return .array(values)
      }
    }
  }
}
#endif
