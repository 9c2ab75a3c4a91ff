// SPDX-License-Identifier: Apache-2.0

// Numbers and sizes as operators read them.

#if Server
import Foundation

/// Numbers of things.
package enum CountText {
  /// A number with its noun: "1 user", "2 users".
  package static func text(_ count: some BinaryInteger, _ noun: String) -> String {
    "\(count) \(noun)" + (count == 1 ? "" : "s")
  }
}

/// Sizes for people.
package enum ByteText {
  /// A number of bytes with a unit.
  package static func text(_ count: Int) -> String {
    guard count >= 1_024 else { return CountText.text(count, "byte") }
    var (value, unit) = (Double(count) / 1_024, "KiB")
    for next in ["MiB", "GiB", "TiB"] where value >= 1_024 { (value, unit) = (value / 1_024, next) }
    return String(format: value < 10 ? "%.1f" : "%.0f", value) + " " + unit
  }
}
#endif
