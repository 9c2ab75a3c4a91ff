// SPDX-License-Identifier: Apache-2.0

// The operations whose instructions are guarded.

/// A hot operation of an app.
enum Operation: String, CaseIterable {
  case readInt = "read-int"
  case readString = "read-string"
  case lookUpInt = "look-up-int"
  case lookUpString = "look-up-string"
  /// The first object with a value of an indexed property that is no key.
  case findString = "find-string"
  case iterate
  /// A loop that reads two numbers and a text of 13 to 16 bytes of each object.
  case iterateTexts = "iterate-texts"
  case insert
  case writeInt = "write-int"
  case commit
  case countRange = "count-range"
  case countString = "count-string"
  case countIndexed = "count-indexed"
  case sum
  /// Opening the first realm of a process, and reading a property: what an app waits for.
  case start

  /// How often one run does it: enough for what the start costs to vanish, few enough for a program
  /// that is fifty times slower.
  var count: Int {
    switch self {
    case .readInt, .readString: 40_000
    case .lookUpInt, .lookUpString, .findString, .writeInt: 10_000
    case .iterate, .iterateTexts: 20
    case .insert: 4000
    case .commit, .countRange, .countString, .countIndexed, .sum: 200
    case .start: 1
    }
  }
}
