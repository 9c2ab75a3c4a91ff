// SPDX-License-Identifier: Apache-2.0

// An upper bound of the integer primary keys of a table, so that keys above it need no look-up.

import RealmStorage

/// The known bound of the integer primary keys of a table.
///
/// Programs that number their objects create them with ascending keys, and each of those would be
/// looked up in vain, in an index that orders integers by their lowest byte and so is nowhere warm.
struct KeyBound {
  /// No object has a larger key; nil if that is not known. `Int64.min` represents no object, too.
  private(set) var highest: Int64?
  /// The look-ups that found nothing since the bound was forgotten.
  private var missCount = 0

  /// Whether an object can have that key.
  @inline(__always)
  func mayHold(_ key: Int64) -> Bool {
    guard let highest else { return true }
    return key <= highest
  }

  /// Notes the key of a new object.
  @inline(__always)
  mutating func include(_ key: Int64) {
    if let highest, key > highest { self.highest = key }
  }

  /// Notes that a look-up found nothing; whether it is time to read all keys.
  ///
  /// A look-up costs as much as reading some hundred keys, so all of it costs at most twice what
  /// look-ups alone would.
  mutating func noteMiss(amongObjects count: Int) -> Bool {
    guard highest == nil else { return false }
    missCount += 1
    return missCount * Self.keysPerLookUp >= count
  }

  mutating func set(_ highest: Int64) {
    assert(self.highest == nil, "a bound is looked for that is known")
    self.highest = highest
    missCount = 0
  }

  private static let keysPerLookUp = 256
}

/// The bounds of a file's tables at the end of the last transaction of this process.
///
/// They are good for the transaction after their version, and no other.
package final class KeyBoundCache: Sendable {
  private struct State {
    var version: UInt64 = 0
    var bounds: [TableKey: KeyBound] = [:]
  }

  private let state = Locked(State())

  package init() {}

  /// The bounds that hold in a version; none if they are not known.
  func bounds(at version: UInt64) -> [TableKey: KeyBound] {
    state.withLock { $0.version == version ? $0.bounds : [:] }
  }

  /// Remembers the bounds that hold in a version.
  func store(_ bounds: [TableKey: KeyBound], at version: UInt64) {
    state.withLock { $0 = State(version: version, bounds: bounds) }
  }
}
