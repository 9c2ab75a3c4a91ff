// SPDX-License-Identifier: Apache-2.0

// `ConfinedOrigin`: the origin of an object or collection that is handed over to another realm.

import RealmSession
import RealmTables
import Synchronization

/// The locator of something confined, its file, and the least version of the file that has it.
struct ConfinedOrigin: Sendable {
  let definition: _ConfinedDefinition
  /// The identity of the origin, which its copies share.
  private let made = lastMade.add(1, ordering: .relaxed).newValue
  private static let lastMade = Atomic<UInt64>(0)
  let configuration: Realm.Configuration
  /// Keeps the file open, which for one in memory is the same as keeping the data.
  let shared: SharedFile
  /// A version that is as new has it, unless it was deleted, or created in a transaction that was
  /// cancelled.
  private(set) var version: UInt64
  /// Whether it was made in a write transaction that was still open.
  let isUncommitted: Bool

  init(_ confined: some ThreadConfined, of core: RealmCore) {
    definition = confined._definition
    configuration = core.configuration
    shared = core.shared
    isUncommitted = core.isInWrite
    version = ConfinedOrigin.version(in: core)
  }

  /// The version that has what `core` shows now.
  private static func version(in core: RealmCore) -> UInt64 {
    let shown = orTrap(try core.readableTables()).version
    return core.isInWrite ? shown + 1 : shown
  }

  /// Records a use in `core`: later uses see at least what could be seen there.
  mutating func wasUsed(in core: RealmCore) {
    guard core.shared === shared else { return }
    version = max(version, ConfinedOrigin.version(in: core))
  }

  /// Whether `other` has the same identity, and was used since.
  func isOlder(than other: ConfinedOrigin) -> Bool { made == other.made && version < other.version }

  /// The realm of something confined; traps if it is no longer valid, and with the message `text`
  /// if no realm manages it.
  static func core(of confined: some ThreadConfined, orElse text: String) -> RealmCore {
    if confined.isInvalidated {
      throwRealmException("Cannot construct reference to invalidated object")
    }
    guard let core = confined.realm?.core else { throwRealmException(text) }
    core.checkIsolation()
    return core
  }

  /// The counterpart in `core`, which advances to a version that has it, if it can; nil if there is
  /// none.
  func local<Confined: ThreadConfined>(in core: RealmCore) -> Confined? {
    orTrap(try core.advance(to: version))
    return Confined._local(definition, in: Realm(core: core))
  }
}
