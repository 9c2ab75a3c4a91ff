// SPDX-License-Identifier: Apache-2.0

// The patterns of `$regex`, read into a program.
//
// Invariants:
// 1. A program has at most `stepCountMax` steps, whatever its pattern repeats.

#if Server
/// A step of a pattern's program.
enum PatternStep: Hashable, Sendable {
  case any
  case one(PatternSet)
  /// Goes on at both places.
  case split(Int, Int)
  case jump(Int)
  case start
  case end
  case lineStart
  case lineEnd
  case boundary(isNegated: Bool)
  case match
}

/// A set of characters.
struct PatternSet: Hashable, Sendable {
  var ranges: [ClosedRange<UInt32>] = []
  var isNegated = false

  func contains(_ scalar: UInt32) -> Bool {
    ranges.contains { $0.contains(scalar) } != isNegated
  }

  static let digits = PatternSet(ranges: [0x30...0x39])
  static let words = PatternSet(ranges: [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
  static let spaces = PatternSet(ranges: [0x09...0x0D, 0x20...0x20, 0x85...0x85, 0xA0...0xA0])
}

/// Reads the pattern of a regular expression.
struct PatternParser {
  static let byteCountMax = 1_024
  static let stepCountMax = 4_000
  private static let repeatCountMax = 1_000
  private static let depthMax = 50

  private indirect enum Node {
    case empty
    case step(PatternStep)
    case sequence([Node])
    case choice([Node])
    case repeated(Node, Int, Int?)
  }

  private let scalars: [UInt32]
  private let isExtended: Bool
  private let ignoresCase: Bool
  private let isMultiline: Bool
  private let matchesNewlines: Bool
  private var position = 0
  private var depth = 0
  private var steps: [PatternStep] = []

  /// - Parameter options: Of `i`, `m`, `s` and `x`.
  static func program(
    _ pattern: String, options: String
  ) throws(DocumentError) -> [PatternStep] {
    guard pattern.utf8.count <= byteCountMax else {
      throw .unsupported("$regex has a pattern of more than \(byteCountMax) bytes")
    }
    for option in options where !"imsxu".contains(option) {
      throw .unsupported("$regex has the unknown option '\(option)'")
    }
    var parser = PatternParser(pattern, options)
    let node = try parser.choice()
    guard parser.position == parser.scalars.count else {
      throw .badArgument("$regex has a ')' without its '('")
    }
    try parser.write(node)
    try parser.append(.match)
    return parser.steps
  }

  private init(_ pattern: String, _ options: String) {
    scalars = pattern.unicodeScalars.map(\.value)
    isExtended = options.contains("x")
    ignoresCase = options.contains("i")
    isMultiline = options.contains("m")
    matchesNewlines = options.contains("s")
  }

  // MARK: Reading

  private var next: Character? {
    position < scalars.count ? Unicode.Scalar(scalars[position]).map { Character($0) } : nil
  }

  private mutating func choice() throws(DocumentError) -> Node {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.depthMax else { throw .unsupported("$regex is nested too deeply") }
    var branches = [try sequence()]
    while next == "|" {
      position += 1
      branches.append(try sequence())
    }
    return branches.count == 1 ? branches[0] : .choice(branches)
  }

  private mutating func sequence() throws(DocumentError) -> Node {
    var parts: [Node] = []
    while let character = next, character != "|", character != ")" {
      if isExtended, skipSpace(character) { continue }
      let atom = try atom(character)
      parts.append(try repeated(atom))
    }
    return .sequence(parts)
  }

  /// Skips white space and comments of extended patterns.
  private mutating func skipSpace(_ character: Character) -> Bool {
    if character == "#" {
      while let other = next, other != "\n" { _ = other; position += 1 }
      return true
    }
    guard character.isWhitespace else { return false }
    position += 1
    return true
  }

  private mutating func atom(_ character: Character) throws(DocumentError) -> Node {
    let scalar = scalars[position]
    position += 1
    switch character {
    case ".":
      return .step(
        matchesNewlines ? .any : .one(PatternSet(ranges: [0x0A...0x0A], isNegated: true)))
    case "^": return .step(isMultiline ? .lineStart : .start)
    case "$": return .step(isMultiline ? .lineEnd : .end)
    case "[": return .step(.one(try characterClass()))
    case "(": return try group()
    case "\\": return .step(try escape())
    case "*", "+", "?": throw .badArgument("$regex repeats nothing at '\(character)'")
    default: return .step(.one(set(scalar...scalar)))
    }
  }

  private mutating func group() throws(DocumentError) -> Node {
    if next == "?" {
      position += 1
      guard next == ":" else {
        throw .unsupported("$regex has a group '(?…', of which '(?:…)' alone is supported")
      }
      position += 1
    }
    let node = try choice()
    guard next == ")" else { throw .badArgument("$regex has a '(' without its ')'") }
    position += 1
    return node
  }

  private mutating func repeated(_ node: Node) throws(DocumentError) -> Node {
    var node = node
    while let character = next {
      let count: (Int, Int?)
      switch character {
      case "*": count = (0, nil)
      case "+": count = (1, nil)
      case "?": count = (0, 1)
      case "{":
        guard let bounds = bounds() else { return node }
        count = bounds
      default: return node
      }
      if character != "{" { position += 1 }
      guard count.0 <= Self.repeatCountMax, count.1 ?? 0 <= Self.repeatCountMax,
        count.1.map({ $0 >= count.0 }) ?? true
      else { throw .unsupported("$regex repeats more often than \(Self.repeatCountMax) times") }
      // Which of several matches it would be makes no difference.
      if next == "?" { position += 1 }
      if next == "+" { throw .unsupported("$regex has a possessive '\(character)+'") }
      node = .repeated(node, count.0, count.1)
    }
    return node
  }

  /// Numbers in braces; nil if the brace is a character.
  private mutating func bounds() -> (Int, Int?)? {
    guard let end = scalars[position...].firstIndex(of: 0x7D) else { return nil }
    let inside = String(
      String.UnicodeScalarView(
        scalars[position + 1..<end].compactMap { Unicode.Scalar($0) }))
    let parts = inside.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count <= 2, let low = Int(parts[0]), low >= 0 else { return nil }
    var high: Int? = low
    if parts.count == 2 {
      if parts[1].isEmpty {
        high = nil
      } else {
        guard let number = Int(parts[1]), number >= 0 else { return nil }
        high = number
      }
    }
    position = end + 1
    return (low, high)
  }

  private mutating func escape() throws(DocumentError) -> PatternStep {
    guard let character = next else { throw .badArgument("$regex ends with a '\\'") }
    switch character {
    case "b", "B":
      position += 1
      return .boundary(isNegated: character == "B")
    case "A":
      position += 1
      return .start
    case "z", "Z":
      position += 1
      return .end
    default: return .one(try escapedSet())
    }
  }

  /// The set of an escape, in a class or outside of one.
  private mutating func escapedSet() throws(DocumentError) -> PatternSet {
    guard let character = next else { throw .badArgument("$regex ends with a '\\'") }
    let scalar = scalars[position]
    position += 1
    func negated(_ set: PatternSet) -> PatternSet {
      PatternSet(ranges: set.ranges, isNegated: true)
    }
    switch character {
    case "d": return .digits
    case "D": return negated(.digits)
    case "w": return .words
    case "W": return negated(.words)
    case "s": return .spaces
    case "S": return negated(.spaces)
    case "n": return set(0x0A...0x0A)
    case "r": return set(0x0D...0x0D)
    case "t": return set(0x09...0x09)
    case "f": return set(0x0C...0x0C)
    case "v": return set(0x0B...0x0B)
    case "x":
      let digits = scalars[position...].prefix(2).compactMap { Unicode.Scalar($0) }
      guard digits.count == 2,
        let value = UInt32(String(String.UnicodeScalarView(digits)), radix: 16)
      else { throw .badArgument("$regex needs two hexadecimal digits after '\\x'") }
      position += 2
      return set(value...value)
    default:
      guard !character.isASCII || !(character.isLetter || character.isNumber) else {
        throw .unsupported("$regex has the escape '\\\(character)', which is not supported")
      }
      return set(scalar...scalar)
    }
  }

  private mutating func characterClass() throws(DocumentError) -> PatternSet {
    var result = PatternSet()
    if next == "^" {
      result.isNegated = true
      position += 1
    }
    var isFirst = true
    while let character = next {
      if character == "]", !isFirst {
        position += 1
        return result
      }
      isFirst = false
      if character == "[", scalars[position...].dropFirst().first == 0x3A {
        throw .unsupported("$regex has a class '[:…:]', which is not supported")
      }
      let low = try member(&result)
      guard let low, next == "-", scalars[position...].dropFirst().first != 0x5D,
        position + 1 < scalars.count
      else { continue }
      position += 1
      guard let high = try member(&result), low <= high else {
        throw .badArgument("$regex has a range of characters without an order")
      }
      result.ranges += set(low...high).ranges
    }
    throw .badArgument("$regex has a '[' without its ']'")
  }

  /// Reads a member of a class; nil for one of several characters.
  private mutating func member(_ result: inout PatternSet) throws(DocumentError) -> UInt32? {
    let scalar = scalars[position]
    position += 1
    guard scalar == 0x5C else {
      result.ranges += set(scalar...scalar).ranges
      return scalar
    }
    let escaped = try escapedSet()
    if escaped.isNegated {
      var low: UInt32 = 0
      for range in escaped.ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
        if range.lowerBound > low { result.ranges.append(low...range.lowerBound - 1) }
        low = range.upperBound + 1
      }
      result.ranges.append(low...0x10_FFFF)
      return nil
    }
    result.ranges += escaped.ranges
    guard let range = escaped.ranges.first, range.count == 1 else { return nil }
    return range.lowerBound
  }

  /// The characters of a range, in both cases where case makes no difference.
  private func set(_ range: ClosedRange<UInt32>) -> PatternSet {
    var set = PatternSet(ranges: [range])
    guard ignoresCase else { return set }
    if range.count == 1, let scalar = Unicode.Scalar(range.lowerBound) {
      for text in [scalar.properties.lowercaseMapping, scalar.properties.uppercaseMapping] {
        guard text.unicodeScalars.count == 1, let other = text.unicodeScalars.first else {
          continue
        }
        set.ranges.append(other.value...other.value)
      }
      return set
    }
    for (small, capital) in [(UInt32(0x61), UInt32(0x41))] {
      for (from, to) in [(small, capital), (capital, small)] {
        let shared = range.clamped(to: from...from + 25)
        guard range.overlaps(from...from + 25) else { continue }
        set.ranges.append(shared.lowerBound - from + to...shared.upperBound - from + to)
      }
    }
    return set
  }

  // MARK: Writing

  private mutating func append(_ step: PatternStep) throws(DocumentError) {
    guard steps.count < Self.stepCountMax else {
      throw .unsupported("$regex has a pattern that is too large")
    }
    steps.append(step)
  }

  private mutating func write(_ node: Node) throws(DocumentError) {
    switch node {
    case .empty: return
    case .step(let step): try append(step)
    case .sequence(let parts): for part in parts { try write(part) }
    case .choice(let branches):
      var ends: [Int] = []
      for (index, branch) in branches.enumerated() {
        guard index < branches.count - 1 else {
          try write(branch)
          break
        }
        let split = steps.count
        try append(.jump(0))
        try write(branch)
        ends.append(steps.count)
        try append(.jump(0))
        steps[split] = .split(split + 1, steps.count)
      }
      for end in ends { steps[end] = .jump(steps.count) }
    case .repeated(let inner, let low, let high):
      for _ in 0..<low {
        let count = steps.count
        try write(inner)
        // Nothing is nothing, however often.
        if steps.count == count { break }
      }
      guard let high else {
        let split = steps.count
        try append(.jump(0))
        try write(inner)
        try append(.jump(split))
        steps[split] = .split(split + 1, steps.count)
        return
      }
      var splits: [Int] = []
      for _ in low..<high {
        splits.append(steps.count)
        try append(.jump(0))
        try write(inner)
      }
      for split in splits { steps[split] = .split(split + 1, steps.count) }
    }
  }
}
#endif
