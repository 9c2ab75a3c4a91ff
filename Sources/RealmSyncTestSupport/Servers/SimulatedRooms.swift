// SPDX-License-Identifier: Apache-2.0

// The room for what UPLOADs unpack to, at a server in memory.

import RealmStorage

/// Room for one UPLOAD at a time, which sessions get in the order in which they ask.
final class SimulatedRooms: Sendable {
  /// A session of a connection.
  struct Holder: Hashable {
    let connection: UInt64
    let session: UInt64
  }

  private struct State {
    var line: [Holder] = []
    var holder: Holder?
  }

  private let state = Locked(State())

  /// Who has room.
  var holder: Holder? { state.withLock { $0.holder } }

  /// Whether no session has room or waits for it.
  var isFree: Bool { state.withLock { $0.line.isEmpty && $0.holder == nil } }

  /// The one who is next, if there is room.
  var next: Holder? { state.withLock { $0.holder == nil ? $0.line.first : nil } }

  func ask(_ holder: Holder) { state.withLock { $0.line.append(holder) } }

  /// Gives the room to the first who waits.
  func giveNext() { state.withLock { $0.holder = $0.line.removeFirst() } }

  /// Takes the room of a session back, or ends its wait.
  func takeBack(_ holder: Holder) {
    state.withLock { state in
      state.line.removeAll { $0 == holder }
      if state.holder == holder { state.holder = nil }
    }
  }
}
