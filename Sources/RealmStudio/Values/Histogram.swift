// SPDX-License-Identifier: Apache-2.0

// Counting numbers in intervals.

#if Tools
import RealmFormats

/// The numbers of values in intervals of equal width between the least and the greatest.
struct Histogram {
  private(set) var least = Double.infinity
  private(set) var greatest = -Double.infinity
  private(set) var counts: [Int] = []
  /// The number of null values.
  private(set) var nullCount = 0
  /// The number of infinite values and NaN.
  private(set) var oddCount = 0

  init(_ values: [Double?], bins: Int) {
    for value in values {
      guard let value else {
        nullCount += 1
        continue
      }
      guard value.isFinite else {
        oddCount += 1
        continue
      }
      least = min(least, value)
      greatest = max(greatest, value)
    }
    guard least <= greatest else { return }
    counts = [Int](repeating: 0, count: least == greatest ? 1 : max(bins, 1))
    // Halves, as the whole width of a `Double`'s range is not a `Double`.
    let width = greatest / 2 - least / 2
    for case let value? in values where value.isFinite {
      let share = width == 0 ? 0 : (value / 2 - least / 2) / width
      counts[min(Int(share * Double(counts.count)), counts.count - 1)] += 1
    }
  }

  /// The chart as the page draws it.
  var json: JSONValue {
    [
      "least": counts.isEmpty ? .null : .double(least),
      "greatest": counts.isEmpty ? .null : .double(greatest),
      "counts": .array(counts.map { .integer(Int64($0)) }), "nulls": .integer(Int64(nullCount)),
      "odd": .integer(Int64(oddCount)),
    ]
  }
}
#endif
