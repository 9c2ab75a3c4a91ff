// SPDX-License-Identifier: Apache-2.0

// How many small changesets are parsed in a second.

import RealmSyncProtocol

extension SyncRow {
  static var parse: SyncRow {
    let encoded = SmallChangesets.make(1000, objects: 10_000, file: 2)
      .map(ChangesetEncoder.encode)
    return SyncRow(name: "parse", unit: "changesets") {
      var count = 0
      return rate(of: 20 * encoded.count) {
        for _ in 0..<20 {
          for bytes in encoded {
            count += (try? ChangesetParser.parse(bytes).instructions.count) ?? 0
          }
        }
        precondition(count > 0)
      }
    }
  }
}
