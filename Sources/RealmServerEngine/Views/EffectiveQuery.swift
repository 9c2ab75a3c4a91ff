// SPDX-License-Identifier: Apache-2.0

// A client's view: a condition a class.

/// The conditions of a client's view, by the names of classes.
///
/// Classes without a condition are not seen at all.
package struct EffectiveQuery: Hashable, Sendable {
  package var conditions: [String: String]

  package init(_ conditions: [String: String] = [:]) { self.conditions = conditions }
}
