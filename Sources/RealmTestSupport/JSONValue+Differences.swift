// SPDX-License-Identifier: Apache-2.0

// The fixtures' expected contents, which are compared by the meaning of their values.

package import RealmFormats

extension JSONValue {
  /// The elements; empty if this is not an array.
  package var elements: [JSONValue] { array ?? [] }

  /// The differences between an expected and an actual value, at most `limit` lines, each with its
  /// path.
  ///
  /// Members are compared by name in any order. Decimals (`string`, `high`, `low`) are equal if
  /// their bits are; numbers are equal if they denote one double, or the float that was read.
  package static func differences(
    expected: JSONValue, actual: JSONValue, limit: Int = 20
  ) -> [String] {
    var found: [String] = []
    collect(expected, actual, path: "", limit, &found)
    return found
  }

  private static func collect(
    _ expected: JSONValue, _ actual: JSONValue, path: @autoclosure () -> String, _ limit: Int,
    _ found: inout [String]
  ) {
    guard found.count < limit else { return }
    switch (expected, actual) {
    case (.object(let left), .object(let right)):
      if let high = expected["high"], let low = expected["low"], expected["string"] != nil {
        if actual["high"] == high, actual["low"] == low { return }
        return found.append("\(path()): expected \(expected), found \(actual)")
      }
      for member in left {
        guard let other = actual[member.key] else {
          found.append("\(path())/\(member.key): missing")
          continue
        }
        collect(member.value, other, path: "\(path())/\(member.key)", limit, &found)
      }
      for member in right where expected[member.key] == nil {
        found.append("\(path())/\(member.key): not expected")
      }
    case (.array(let left), .array(let right)):
      if left.count != right.count {
        return found.append("\(path()): expected \(left.count) elements, found \(right.count)")
      }
      for index in left.indices {
        collect(left[index], right[index], path: "\(path())[\(index)]", limit, &found)
      }
    default:
      if !isSame(expected, actual) {
        found.append("\(path()): expected \(expected), found \(actual)")
      }
    }
  }

  private static func isSame(_ expected: JSONValue, _ actual: JSONValue) -> Bool {
    if expected == actual { return true }
    guard case .double(let read) = actual else { return false }
    let written: Double
    switch expected {
    case .double(let value): written = value
    case .integer(let value): written = Double(value)
    default: return false
    }
    if written.bitPattern == read.bitPattern { return true }
    // A float is written with the nine digits that restore the float, not its double.
    return Float(written).bitPattern == Float(read).bitPattern && Double(Float(read)) == read
  }
}
