// SPDX-License-Identifier: Apache-2.0

// Comparisons of secrets.

/// Comparisons whose time does not depend on where values differ.
package enum ConstantTime {
  /// Whether two values are equal.
  package static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for index in left.indices { difference |= left[index] ^ right[index] }
    return difference == 0
  }
}
