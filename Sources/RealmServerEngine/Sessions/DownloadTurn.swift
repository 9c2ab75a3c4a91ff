// SPDX-License-Identifier: Apache-2.0

// The turn of one session for a download, and the room for that.

import Synchronization

/// A turn of `DownloadTurns` with reserved memory; each is given back once.
package final class DownloadTurn: Sendable {
  private let turns: DownloadTurns
  private let memory: any ConnectionMemory
  private let room: Int
  private let hasEnded = Atomic(false)
  private let isReleased = Atomic(false)

  /// - Parameter room: The reserved bytes.
  init(_ turns: DownloadTurns, _ memory: any ConnectionMemory, room: Int) {
    self.turns = turns
    self.memory = memory
    self.room = room
  }

  /// Gives the turn back.
  func end() {
    if !hasEnded.exchange(true, ordering: .relaxed) { turns.end() }
  }

  /// Gives the room back.
  func release() {
    if !isReleased.exchange(true, ordering: .relaxed), room > 0 { memory.release(room) }
  }

  /// Gives both back before there is a download, as it takes long.
  func giveUp() {
    end()
    release()
  }
}
