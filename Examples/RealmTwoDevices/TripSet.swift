// SPDX-License-Identifier: Apache-2.0

// A set that is written.

import RealmTables

/// A set of strings.
struct TripSet {
  let editor: SetEditor

  func insert(_ text: String) throws { _ = try editor.insert(.string(text)) }

  func remove(_ text: String) throws { _ = try editor.remove(.string(text)) }
}
