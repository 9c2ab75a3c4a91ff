// SPDX-License-Identifier: Apache-2.0

// Reports that are made once for each value.

/// Remembers values, so that each is reported once.
///
/// When there are too many all of them are forgotten: some come again then, and memory has a bound.
struct OnceOnly<Value: Hashable & Sendable>: Sendable {
  private static var countMax: Int { 1_024 }

  private var values: Set<Value> = []

  mutating func insert(_ value: Value) -> Bool {
    if values.count >= Self.countMax { values.removeAll() }
    return values.insert(value).inserted
  }
}
