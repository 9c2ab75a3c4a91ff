// SPDX-License-Identifier: Apache-2.0

// Values of programs and values of messages.

#if Sync
import Foundation
package import RealmFormats
import RealmStorage
import RealmText

extension AnyBSON {
  package var bson: BSONValue {
    switch self {
    case .null: .null
    case .bool(let value): .bool(value)
    case .int32(let value): .int32(value)
    case .int64(let value): .int64(value)
    case .double(let value): .double(value)
    case .decimal128(let value): .decimal(value.description)
    case .string(let value): .string(value)
    case .objectId(let value): .objectID(ObjectIDBits(high: value.high, low: value.low))
    case .binary(let value): .binary(subtype: 0, bytes: Array(value))
    case .uuid(let value): .uuid(UUIDBits(value))
    case .datetime(let value):
      .date(unixMilliseconds: Int64(exactly: (value.timeIntervalSince1970 * 1000).rounded()) ?? 0)
    case .timestamp(let value):
      .timestamp(
        seconds: UInt32(exactly: value.timeIntervalSince1970.rounded(.down)) ?? 0, increment: 0)
    case .regex(let value):
      .regularExpression(pattern: value.pattern, options: value.optionLetters)
    case .minKey: .minKey
    case .maxKey: .maxKey
    case .array(let values): .array(values.map { ($0 ?? .null).bson })
    case .document(let document): .document(document.elements)
    }
  }

  package init(_ value: BSONValue) {
    switch value {
    case .null: self = .null
    case .bool(let value): self = .bool(value)
    case .int32(let value): self = .int32(value)
    case .int64(let value): self = .int64(value)
    case .double(let value): self = .double(value)
    case .decimal(let text):
      self = .decimal128(Decimal128(text) ?? Decimal128())
    case .string(let value): self = .string(value)
    case .objectID(let value): self = .objectId(ObjectId(high: value.high, low: value.low))
    case .binary(_, let bytes):
      self = value.uuid.map { .uuid(UUID($0)) } ?? .binary(Data(bytes))
    case .date(let milliseconds):
      self = .datetime(Date(timeIntervalSince1970: Double(milliseconds) / 1000))
    case .timestamp(let seconds, _):
      self = .timestamp(Date(timeIntervalSince1970: Double(seconds)))
    case .regularExpression(let pattern, let options):
      let expression = try? NSRegularExpression(
        pattern: pattern, options: .init(letters: options))
      self = expression.map { .regex($0) } ?? .string(pattern)
    case .minKey: self = .minKey
    case .maxKey: self = .maxKey
    case .array(let values): self = .array(values.map { AnyBSON(element: $0) })
    case .document(let elements): self = .document(Document(elements))
    }
  }

  /// An element of an array or document, nil for `null`.
  private init?(element: BSONValue) {
    if element == .null { return nil }
    self.init(element)
  }
}

extension Document {
  /// The elements, in the order of their keys.
  package var elements: [BSONElement] {
    sorted { $0.key < $1.key }.map { BSONElement($0.key, ($0.value ?? .null).bson) }
  }

  package init(_ elements: [BSONElement]) {
    self.init(
      elements.map { ($0.key, $0.value == .null ? nil : AnyBSON($0.value)) },
      uniquingKeysWith: { $1 })
  }
}

extension NSRegularExpression {
  private static let letters: [(letter: Character, option: Options)] = [
    ("i", .caseInsensitive), ("m", .anchorsMatchLines), ("s", .dotMatchesLineSeparators),
    ("x", .allowCommentsAndWhitespace),
  ]

  /// The options as BSON writes them.
  fileprivate var optionLetters: String {
    String(Self.letters.filter { options.contains($0.option) }.map(\.letter))
  }
}

extension NSRegularExpression.Options {
  fileprivate init(letters: String) {
    self = []
    for letter in letters {
      switch letter {
      case "i": insert(.caseInsensitive)
      case "m": insert(.anchorsMatchLines)
      case "s": insert(.dotMatchesLineSeparators)
      case "x": insert(.allowCommentsAndWhitespace)
      default: break
      }
    }
  }
}

extension UUIDBits {
  init(_ uuid: UUID) {
    let bits = Bytes16(uuid)
    self.init(high: bits.high, low: bits.low)
  }
}

extension UUID {
  init(_ bits: UUIDBits) { self.init(Bytes16(high: bits.high, low: bits.low)) }
}
#endif
