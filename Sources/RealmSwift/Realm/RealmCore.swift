// SPDX-License-Identifier: Apache-2.0

// The one instance behind all `Realm` values of a file in a confinement.
//
// Invariants:
// 1. There is at most one living core for each file and confinement; `RealmCache` sees to it.
// 2. Everything here is used from the confinement only, except where a member says otherwise.

import CRealmPlatform

/// A realm: a file, where it may be used, and the version it shows.
@usableFromInline
final class RealmCore: ObjectOwner {
  let configuration: Realm.Configuration
  let confinement: Confinement
  let hot: UnsafeMutablePointer<HotState>

  init(configuration: Realm.Configuration, confinement: Confinement) {
    self.configuration = configuration
    self.confinement = confinement
    hot = UnsafeMutablePointer<HotState>.allocate(capacity: 1)
    hot.initialize(
      to: HotState(isolation: confinement.isolationWord, generation: 1, isInWrite: false))
  }

  deinit {
    hot.deallocate()
  }

  /// Ends the process unless the caller runs in the realm's confinement.
  @inline(__always)
  func checkIsolation() {
    if hot.pointee.isolation != realm_thread_pointer() { checkIsolationSlowly() }
  }

  @inline(never)
  private func checkIsolationSlowly() {
    if !confinement.isCurrent { throwRealmException(confinement.violationText) }
  }

  /// Whether a write transaction is open.
  var isInWrite: Bool { hot.pointee.isInWrite }
}
