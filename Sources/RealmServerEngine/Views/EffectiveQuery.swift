// SPDX-License-Identifier: Apache-2.0

// What a client sees: a condition a class.

/// The conditions that decide what a client sees, by the names of classes.
///
/// Classes without a condition are not seen at all.
package struct EffectiveQuery: Hashable, Sendable {
  package var conditions: [String: String]

  package init(_ conditions: [String: String] = [:]) { self.conditions = conditions }
}
