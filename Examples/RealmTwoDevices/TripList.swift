// SPDX-License-Identifier: Apache-2.0

// A list that is written.

import RealmTables

/// A list of strings or objects.
struct TripList {
  let editor: ListEditor

  func append(_ text: String) throws { try editor.append(.string(text)) }

  func append(_ object: TripObject) throws { try editor.append(.link(object.key)) }

  func insert(_ text: String, at index: Int) throws {
    try editor.insert(.string(text), at: index)
  }

  func replace(at index: Int, by text: String) throws {
    try editor.set(.string(text), at: index)
  }

  func remove(at index: Int) throws { try editor.remove(at: index) }
}
