// SPDX-License-Identifier: Apache-2.0

// Numbers that are read from bytes are those that the library reads.

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmFormats

struct NumberTextTests {
  private func double(_ text: String) -> Double? {
    let bytes = Array("[\(text)]".utf8)
    return NumberText.double(bytes, 1..<bytes.count - 1)
  }

  private func integer(_ text: String) -> Int64? {
    let bytes = Array("[\(text)]".utf8)
    return NumberText.integer(bytes, 1..<bytes.count - 1)
  }

  @Test func usualNumbersTakeNoString() {
    expectEqual(integer("0"), 0)
    expectEqual(integer("-17"), -17)
    expectEqual(integer("999999999999999999"), 999_999_999_999_999_999)
    expectEqual(integer("1000000000000000000"), nil)
    expectEqual(integer("1.0"), nil)
    expectEqual(double("513.3961163221494"), 513.3961163221494)
    expectEqual(double("0.000000000000000001"), 1e-18)
    expectEqual(double("9007199254740993"), nil)
    expectEqual(double("12e-3"), 0.012)
    expectEqual(double("-0")?.sign, .minus)
    for text in ["", "-", "+1", ".5", "1.", "1e", "e5", "1.5x", "--1", "0x1", "nan"] {
      expectTrue(double(text) == nil, "\(text)")
      expectTrue(integer(text) == nil, "\(text)")
    }
  }

  @Test func doublesAreRoundedAsByTheLibrary() {
    var random = SeededGenerator(seed: 5)
    var count = 0
    for round in 0..<20_000 {
      let digits = String(random.next() >> UInt64.random(in: 0..<64, using: &random))
      let point = Int.random(in: 0...digits.count, using: &random)
      var text = digits.prefix(point) + (point < digits.count ? "." + digits.dropFirst(point) : "")
      if text.hasPrefix(".") { text = "0" + text }
      if round % 3 == 0 { text += "e-\(Int.random(in: 0..<9, using: &random))" }
      if round % 5 == 0 { text = "-" + text }
      guard let number = double(String(text)) else { continue }
      count += 1
      expectEqual(number.bitPattern, Double(text)?.bitPattern, "\(text)")
    }
    expectTrue(count > 15_000)
  }

  /// Halves between two doubles, and their neighbours in decimal, decide by the last digit.
  @Test func tiesAreRoundedToEven() {
    var random = SeededGenerator(seed: 6)
    for _ in 0..<5000 {
      // A number of 54 significant bits with a last one, times a power of two with a short decimal.
      let significand = (1 << 53) | random.next() >> 11 | 1
      let power = Int.random(in: 1..<3, using: &random)
      let fives = power == 1 ? UInt64(5) : 25
      let (product, isTooLarge) = significand.multipliedReportingOverflow(by: fives)
      for digits in [product - 1, product, product + 1] where !isTooLarge {
        let text = "\(digits)e-\(power)"
        expectEqual(double(text), Double(text), "\(text)")
      }
    }
  }

  @Test func integersAreWrittenAsByTheLibrary() {
    var random = SeededGenerator(seed: 7)
    var numbers: [Int64] = [0, 1, -1, 9, 10, -10, .max, .min]
    for _ in 0..<500 {
      let bits = random.next() >> UInt64.random(in: 0..<64, using: &random)
      numbers.append(Int64(bitPattern: bits))
    }
    for number in numbers {
      var bytes = Array("x".utf8)
      NumberText.append(number, to: &bytes)
      expectEqual(String(decoding: bytes, as: UTF8.self), "x\(number)")
    }
  }

  /// JSON's numbers as its grammar has them (RFC 8259, 6), read by the library.
  private func model(_ text: String) -> JSONValue? {
    let form = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/
    guard let match = try? form.wholeMatch(in: text) else { return nil }
    if match.1 == nil, match.2 == nil, let integer = Int64(text), text != "-0" {
      return .integer(integer)
    }
    guard let double = Double(text), double.isFinite else { return nil }
    return .double(double)
  }

  @Test func numbersOfJSONAreThoseOfItsGrammar() {
    var random = SeededGenerator(seed: 8)
    let pieces = [
      "0", "1", "9", "12", "-", ".", "e", "E", "+", "-0", "00", "999999999999999999", "123456789",
      "0.1", "e5", "e-7", "e400",
    ]
    for _ in 0..<6000 {
      let text = (0..<Int.random(in: 1..<5, using: &random)).map { _ in
        pieces[Int.random(in: 0..<pieces.count, using: &random)]
      }.joined()
      let value = try? JSONParser.parse(text)
      expectEqual(value, model(text), "\(text)")
      if case .double(let number)? = value, case .double(let other)? = model(text) {
        expectEqual(number.bitPattern, other.bitPattern, "\(text)")
      }
    }
  }
}
