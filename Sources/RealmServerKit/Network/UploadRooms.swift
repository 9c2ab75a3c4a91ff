// SPDX-License-Identifier: Apache-2.0

// The room for unpacked UPLOADs.
//
// Invariants:
// 1. Room is found up to the limit of the process, of each address and of each user. An UPLOAD
//    alone under a limit passes it, whatever its size: it may be more than there is.
// 2. UPLOADs of a user get room in the order of their asking.
// 3. An UPLOAD whose user has room, and with it waits for an address or the process, comes before
//    later ones, so small ones do not pass a large one without end.
// 4. `isFound` is called while no lock is held.

#if Server
import NIOConcurrencyHelpers

/// Counts the bytes of unpacked UPLOADs, and lets the others wait.
final class UploadRooms: Sendable {
  /// The session of a connection that has room, or waits for it.
  struct Holder: Hashable, Sendable {
    let share: ObjectIdentifier
    let session: UInt64
  }

  /// Each has a limit of its own.
  private enum Scope: Hashable, Sendable {
    case process
    case address(String)
    case user(String)
  }

  private struct Waiter: Sendable {
    let number: UInt64
    let holder: Holder
    let scopes: [Scope]
    let byteCount: Int
    let isFound: @Sendable () -> Void
  }

  private struct State {
    var counts: [Scope: Int] = [:]
    /// The room of each holder.
    var rooms: [Holder: (scopes: [Scope], byteCount: Int)] = [:]
    /// The waiting ones, by their last scope, the user.
    var lines: [Scope: [Waiter]] = [:]
    /// The line of each waiting holder.
    var places: [Holder: Scope] = [:]
    var last: UInt64 = 0
  }

  /// One UPLOAD of the largest size, or several small ones.
  private static let userMax = 16 << 20

  private let processMax: Int
  private let state = NIOLockedValueBox(State())

  /// - Parameter byteCount: The limit of the process. An address has half of it, a user the size of
  ///   the largest UPLOAD.
  init(byteCount: Int) { processMax = byteCount }

  /// The bytes of all rooms now.
  var byteCount: Int { state.withLockedValue { $0.counts[.process, default: 0] } }

  /// The number of waiting UPLOADs.
  var waitingCount: Int { state.withLockedValue { $0.places.count } }

  private func limit(of scope: Scope) -> Int {
    switch scope {
    case .process: processMax
    case .address: processMax / 2
    case .user: Self.userMax
    }
  }

  /// Finds room, now or later.
  ///
  /// - Parameter isFound: Is called once, unless the room is given back before.
  func take(
    _ byteCount: Int, _ payer: MemoryBudget.Payer, for holder: Holder,
    _ isFound: @escaping @Sendable () -> Void
  ) {
    var scopes: [Scope] = [.process, .address(payer.address)]
    if let user = payer.user { scopes.append(.user(user)) }
    change { state in
      assert(state.rooms[holder] == nil && state.places[holder] == nil, "a session asks twice")
      state.last += 1
      let line = scopes[scopes.count - 1]
      state.places[holder] = line
      state.lines[line, default: []].append(
        Waiter(
          number: state.last, holder: holder, scopes: scopes, byteCount: byteCount,
          isFound: isFound))
      return true
    }
  }

  /// Gives room back, or ends the wait for it.
  func giveBack(_ holder: Holder) { change { state in Self.remove(holder, &state) } }

  /// Gives everything of a share back.
  func end(of share: ObjectIdentifier) {
    change { state in
      let holders = state.rooms.keys.filter { $0.share == share }
      let waiting = state.places.keys.filter { $0.share == share }
      for holder in holders + waiting { Self.remove(holder, &state) }
      return !holders.isEmpty || !waiting.isEmpty
    }
  }

  /// Returns whether there was something.
  @discardableResult
  private static func remove(_ holder: Holder, _ state: inout State) -> Bool {
    if let line = state.places.removeValue(forKey: holder) {
      state.lines[line]?.removeAll { $0.holder == holder }
      if state.lines[line]?.isEmpty == true { state.lines[line] = nil }
      return true
    }
    guard let room = state.rooms.removeValue(forKey: holder) else { return false }
    for scope in room.scopes {
      let count = state.counts[scope, default: 0] - room.byteCount
      state.counts[scope] = count > 0 ? count : nil
    }
    return true
  }

  /// Changes the state, and notifies the holders of new room after it.
  ///
  /// - Parameter body: Returns whether it has changed something.
  private func change(_ body: (inout State) -> Bool) {
    let served = state.withLockedValue { state in body(&state) ? serve(&state) : [] }
    for waiter in served { waiter.isFound() }
  }

  /// Gives room to the waiting ones it is enough for, and returns them.
  private func serve(_ state: inout State) -> [Waiter] {
    guard !state.lines.isEmpty else { return [] }
    var served: [Waiter] = []
    /// What an earlier one waits for (`UploadRooms` 3).
    var awaited: Set<Scope> = []
    let lines = state.lines.sorted { $0.value[0].number < $1.value[0].number }
    for (line, waiters) in lines {
      var count = 0
      for waiter in waiters {
        // An UPLOAD waiting for its own user delays no other user.
        let missing = waiter.scopes.reversed().first { scope in
          let taken = state.counts[scope, default: 0]
          return awaited.contains(scope)
            || taken > 0 && taken + waiter.byteCount > limit(of: scope)
        }
        if let missing {
          awaited.insert(missing)
          break
        }
        for scope in waiter.scopes { state.counts[scope, default: 0] += waiter.byteCount }
        state.places[waiter.holder] = nil
        state.rooms[waiter.holder] = (waiter.scopes, waiter.byteCount)
        served.append(waiter)
        count += 1
      }
      if count == waiters.count {
        state.lines[line] = nil
      } else {
        state.lines[line]?.removeFirst(count)
      }
    }
    return served
  }
}
#endif
