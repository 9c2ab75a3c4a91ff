// SPDX-License-Identifier: Apache-2.0

// A dictionary that is written.

import RealmTables

/// Numbers by their names.
struct TripMap {
  let editor: DictionaryEditor

  func set(_ name: String, _ number: Int64) throws {
    try editor.set(.int(number), for: name)
  }
}
