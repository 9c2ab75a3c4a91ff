// SPDX-License-Identifier: Apache-2.0

// Decimals as people write them.

#if Tools
import RealmStorage

extension DecimalBits {
  /// The number that a text spells: digits with a sign, a point and an exponent at most; nil for
  /// others, and for more than 34 digits.
  init?(text: String) {
    switch text.lowercased() {
    case "nan":
      self = .notANumber
      return
    case "inf", "+inf", "-inf":
      self = .infinity(isNegative: text.hasPrefix("-"))
      return
    default: break
    }
    let parts = text.lowercased().split(
      separator: "e", maxSplits: 1, omittingEmptySubsequences: false)
    var digits = parts.first ?? ""
    let isNegative = digits.hasPrefix("-")
    if isNegative || digits.hasPrefix("+") { digits = digits.dropFirst() }
    let halves = digits.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let all = halves.joined()
    guard !all.isEmpty, all.utf8.allSatisfy({ (48...57).contains($0) }),
      all.drop(while: { $0 == "0" }).utf8.count <= 34,
      let coefficient = UInt128(all), parts.count == 1 || Int(parts[1]) != nil
    else { return nil }
    let written = parts.count == 1 ? 0 : Int(parts[1]) ?? 0
    guard written.magnitude < 10_000 else { return nil }
    let exponent = written - (halves.count == 2 ? halves[1].utf8.count : 0)
    guard (-6176...6111).contains(exponent) else { return nil }
    self.init(isNegative: isNegative, coefficient: coefficient, exponent: exponent)
  }
}
#endif
