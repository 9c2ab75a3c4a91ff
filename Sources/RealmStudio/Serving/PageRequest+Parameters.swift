// SPDX-License-Identifier: Apache-2.0

// The parameters of Studio's requests.

#if Tools
import RealmPages

extension PageRequest {
  func required(_ name: String) throws(StudioFailure) -> String {
    guard let text = parameters[name] else { throw .malformed(name, "given") }
    return text
  }

  /// A number in a range; `usual` if it is not given.
  func number(
    _ name: String, in range: ClosedRange<Int>, otherwise usual: Int
  ) throws(StudioFailure) -> Int {
    guard let text = parameters[name] else { return usual }
    guard let number = Int(text), range.contains(number) else {
      throw .malformed(name, "a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }
}
#endif
