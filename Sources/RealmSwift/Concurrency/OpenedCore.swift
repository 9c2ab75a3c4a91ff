// SPDX-License-Identifier: Apache-2.0

// `OpenedCore`: transfers a realm from where it was opened to the place that it is confined to.

import RealmSession
import RealmStorage

/// A core that was opened elsewhere, or the error of the open.
///
/// It is taken out once: blocks that have finished may live slightly longer than the program's last
/// reference, and must not keep the file open.
final class OpenedCore: Sendable {
  private let result: Locked<Result<RealmCore, any Error>?>

  init() { result = Locked(nil) }

  /// Opens a realm here that is confined to another place.
  convenience init(opening configuration: Realm.Configuration, for confinement: Confinement) {
    self.init()
    open(configuration, for: confinement)
  }

  /// Opens the realm, and keeps it until it is taken.
  func open(_ configuration: Realm.Configuration, for confinement: Confinement) {
    let opened = Result<RealmCore, any Error> { try RealmOpener(configuration).open(confinement) }
    result.withLock { $0 = opened }
  }

  /// Removes and returns the result of the open, for the caller alone.
  func take() -> Result<RealmCore, any Error> {
    let taken = result.withLock { result in
      defer { result = nil }
      return result
    }
    guard let taken else { preconditionFailure("a realm was handed over twice") }
    return taken
  }
}
