// SPDX-License-Identifier: Apache-2.0

// The contents of a realm, to be compared with those of a copy.

import Foundation
import RealmSession
import RealmTables
import RealmTestSupport

@testable import RealmSwift

extension Realm {
  /// The contents of all tables, whatever form their columns have: a compaction may enumerate them.
  func contentText() throws -> String {
    let form =
      "RealmFormats.JSONMember(key: \"enumerated\", value: RealmFormats.JSONValue.bool(true))"
    return "\(try ContentDump(TableGroup(core.snapshot())).json())"
      .replacingOccurrences(of: ", \(form)", with: "")
  }
}
