// SPDX-License-Identifier: Apache-2.0

// What a salvage saved, for programs.

#if Tools
package import RealmFormats
package import RealmSalvage

extension SalvageReport {
  /// The report for programs.
  package var json: JSONValue {
    [
      "whole": .bool(isWhole), "olderVersion": .bool(isOlderVersion), "found": .bool(isFound),
      "saved": .integer(Int64(savedCount)),
      "classes": .array(
        classes.map {
          [
            "name": .string($0.name), "expected": JSONValue($0.expected),
            "saved": .integer(Int64($0.saved)), "lostValues": .integer(Int64($0.lostValues)),
          ]
        }), "problems": .array(problems.map { .string($0) }),
    ]
  }
}
#endif
