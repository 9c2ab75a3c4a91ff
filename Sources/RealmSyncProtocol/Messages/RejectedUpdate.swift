// SPDX-License-Identifier: Apache-2.0

// A refused write.

/// An object of a compensating write, as the error reports it to the app.
package struct RejectedUpdate: Hashable, Sendable {
  package var reason: String
  package var table: String
  package var key: RejectedKey

  package init(reason: String, table: String, key: RejectedKey) {
    self.reason = reason
    self.table = table
    self.key = key
  }

  /// The update of a write against the rules, with the reason's usual text.
  package init(notAllowed key: RejectedKey, in table: String, isOutsideOfView: Bool = false) {
    let tail = isOutsideOfView ? "; object is outside of the current query view" : ""
    self.init(
      reason: "write to \(key) in table \"\(table)\" not allowed\(tail)", table: table, key: key)
  }
}
