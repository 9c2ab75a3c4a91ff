// SPDX-License-Identifier: Apache-2.0

// A session at the server: its machine and what carries out its requests.

import RealmServerEngine
import RealmSyncProtocol

/// The server's side of a session.
final class SimulatedServerSession {
  var machine: ServerSessionMachine
  let store: ServerSessionStore
  var request: (number: UInt64, request: ServerStoreRequest)?
  /// An answer of the realm that is on its way to the session.
  var reply: (number: UInt64, reply: ServerStoreReply)?
  /// The newest version that was announced to the session.
  var announced = SaltedVersion()
  var isEnded = false

  init(_ machine: ServerSessionMachine, _ store: ServerSessionStore) {
    self.machine = machine
    self.store = store
  }
}
