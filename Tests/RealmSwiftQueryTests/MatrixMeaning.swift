// SPDX-License-Identifier: Apache-2.0

// What operators mean, written down as plainly as possible, for values as programs have them.

import Foundation

@testable import RealmSwift

/// A value without its type: what comparisons evaluate.
enum PlainValue: Equatable {
  case null
  case bool(Bool)
  case number(Double)
  case text([UInt8])
  case data([UInt8])
  case date(Date)
  case id(String)
  case uuid(String)
  case object(Int)

  init(_ any: Any) {
    guard let value = unwrapped(any) else {
      self = .null
      return
    }
    switch value {
    case let any as AnyRealmValue: self = PlainValue(any)
    case let row as MatrixRow: self = .object(row.id)
    case let number as Float: self = .number(Double(number))
    case let number as Double: self = .number(number)
    case let number as Decimal128: self = .number(number.doubleValue)
    case let truth as Bool: self = .bool(truth)
    case let number as any BinaryInteger: self = .number(Double(number))
    case let text as String: self = .text(Array(text.utf8))
    case let data as Data: self = .data(Array(data))
    case let date as Date: self = .date(date)
    case let id as ObjectId: self = .id(id.stringValue)
    case let uuid as UUID: self = .uuid(uuid.uuidString)
    case let level as MatrixLevel: self = .number(Double(level.rawValue))
    case let word as MatrixWord: self = .text(Array(word.rawValue.utf8))
    default: preconditionFailure("\(value) has no plain form")
    }
  }

  private init(_ any: AnyRealmValue) {
    let candidates: [Any?] = [
      any.intValue, any.boolValue, any.floatValue, any.doubleValue, any.stringValue, any.dataValue,
      any.dateValue, any.objectIdValue, any.decimal128Value, any.uuidValue,
      any.object(MatrixRow.self),
    ]
    self = candidates.compactMap(\.self).first.map { PlainValue($0) } ?? .null
  }

  // MARK: Equality and order

  /// Null equals null; NaN equals nothing.
  func equals(_ other: PlainValue) -> Bool {
    if case .number(let left) = self, case .number(let right) = other { return left == right }
    return self == other
  }

  /// Whether `body` holds for the order of the two; there is none between kinds, with null and NaN.
  func compares(_ other: PlainValue, _ body: (Int) -> Bool) -> Bool {
    func sign<T: Comparable>(_ left: T, _ right: T) -> Int {
      left < right ? -1 : left == right ? 0 : 1
    }
    switch (self, other) {
    case (.number(let left), .number(let right)):
      return !left.isNaN && !right.isNaN && body(sign(left, right))
    case (.bool(let left), .bool(let right)): return body(sign(left ? 1 : 0, right ? 1 : 0))
    case (.text(let left), .text(let right)), (.data(let left), .data(let right)):
      return body(left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1)
    case (.date(let left), .date(let right)): return body(sign(left, right))
    case (.id(let left), .id(let right)), (.uuid(let left), .uuid(let right)):
      return body(sign(left, right))
    default: return false
    }
  }

  // MARK: Text

  /// The text without case, without accents, or both.
  func folded(_ options: StringOptions) -> PlainValue {
    guard case .text(let bytes) = self else { return self }
    var text = String(decoding: bytes, as: UTF8.self)
    if options.contains(.diacriticInsensitive) {
      text = String(text.map { ["é": "e", "É": "E"][$0] ?? $0 })
    }
    return .text(Array((options.contains(.caseInsensitive) ? text.lowercased() : text).utf8))
  }

  private var bytes: [UInt8]? {
    switch self {
    case .text(let bytes), .data(let bytes): bytes
    default: nil
    }
  }

  /// Whether the value has `part` in it where `isThere` looks; nothing is in anything if it is
  /// empty, or of another kind.
  func has(_ part: PlainValue, _ isThere: ([UInt8], [UInt8]) -> Bool) -> Bool {
    switch (self, part) {
    case (.text(let bytes), .text(let part)), (.data(let bytes), .data(let part)):
      !part.isEmpty && bytes.count >= part.count && isThere(bytes, part)
    default: false
    }
  }

  func contains(_ part: PlainValue) -> Bool {
    has(part) { bytes, part in
      (0...bytes.count - part.count).contains { bytes[$0...].starts(with: part) }
    }
  }

  /// Whether the text matches a pattern of `?` and `*`.
  func isLike(_ pattern: PlainValue) -> Bool {
    guard case .text(let text) = self, case .text(let pattern) = pattern else { return false }
    func matches(_ text: ArraySlice<UInt8>, _ pattern: ArraySlice<UInt8>) -> Bool {
      guard let first = pattern.first else { return text.isEmpty }
      if first == UInt8(ascii: "*") {
        return matches(text, pattern.dropFirst())
          || (!text.isEmpty && matches(text.dropFirst(), pattern))
      }
      guard let next = text.first else { return false }
      if first == UInt8(ascii: "?") {
        return matches(text.dropFirst().drop { $0 & 0xC0 == 0x80 }, pattern.dropFirst())
      }
      return first == next && matches(text.dropFirst(), pattern.dropFirst())
    }
    return matches(text[...], pattern[...])
  }

  // MARK: Aggregates

  /// The numbers among values, without NaN.
  private static func numbers(_ values: [PlainValue]) -> [Double] {
    values.compactMap { if case .number(let number) = $0 { number } else { nil } }
  }

  static func sum(_ values: [PlainValue]) -> PlainValue { .number(numbers(values).reduce(0, +)) }

  static func average(_ values: [PlainValue]) -> PlainValue {
    let numbers = numbers(values)
    return numbers.isEmpty ? .null : .number(numbers.reduce(0, +) / Double(numbers.count))
  }

  /// The value before which none of the others comes; nulls and NaN do not count.
  static func least(_ values: [PlainValue]) -> PlainValue {
    extreme(values) { $0 < 0 }
  }

  static func greatest(_ values: [PlainValue]) -> PlainValue {
    extreme(values) { $0 > 0 }
  }

  private static func extreme(
    _ values: [PlainValue], _ isBetter: (Int) -> Bool
  ) -> PlainValue {
    values.filter { $0.equals($0) && $0 != .null }.reduce(.null) { best, value in
      best == .null || value.compares(best, isBetter) ? value : best
    }
  }
}
