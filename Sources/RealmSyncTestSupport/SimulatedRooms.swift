// SPDX-License-Identifier: Apache-2.0

// The room for what UPLOADs unpack to, at a server in memory.

/// Room for one UPLOAD at a time, which sessions get in the order in which they ask.
struct SimulatedRooms {
  /// A session of a connection.
  struct Holder: Hashable {
    let connection: UInt64
    let session: UInt64
  }

  private var line: [Holder] = []
  private(set) var holder: Holder?

  /// Whether no session has room or waits for it.
  var isFree: Bool { line.isEmpty && holder == nil }

  /// The one who is next, if there is room.
  var next: Holder? { holder == nil ? line.first : nil }

  mutating func ask(_ holder: Holder) { line.append(holder) }

  /// Gives the room to the first who waits.
  mutating func giveNext() { holder = line.removeFirst() }

  /// Ends the wait of a session.
  mutating func endWait(_ holder: Holder) { line.removeAll { $0 == holder } }

  /// Takes the room of a session back, or ends its wait.
  mutating func takeBack(_ holder: Holder) {
    endWait(holder)
    if self.holder == holder { self.holder = nil }
  }
}
