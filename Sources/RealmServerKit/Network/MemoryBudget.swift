// SPDX-License-Identifier: Apache-2.0

// The server's memory for its clients, and the share of each of them.
//
// Invariants:
// 1. What is asked for is given only up to the limit of the process, of each address and of each
//    user. A message of the largest size fits into the smallest of them.
// 2. What is there already counts, whether it is above a limit or not: nothing more is given then.
// 3. Messages that the server is about to make get three quarters of each limit, so that clients
//    that do not read do not keep the others of their user or address from speaking.
// 4. Who waits for room is woken when something is given back that makes room.
// 5. What UPLOADs unpack to is counted apart (`UploadRooms`), as nothing else can wait for it.

#if Server
import NIOConcurrencyHelpers
import RealmNetworking
import RealmServerEngine
import RealmServerServices

/// The memory of bodies, and of messages that clients send or are sent.
final class MemoryBudget: Sendable {
  /// Who has to have room for what is taken.
  struct Payer: Hashable, Sendable {
    var address: String
    var user: String?
  }

  /// The accounts of an address, and of a user once there is one.
  fileprivate struct Accounts {
    let address: MemoryAccounts.Number
    var user: MemoryAccounts.Number? = nil
  }

  private struct Waiter {
    let share: ObjectIdentifier
    let accounts: Accounts
    let byteCount: Int
    let continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var total = 0
    var accounts = MemoryAccounts()
    /// In the order in which they came.
    var waiters: [Waiter] = []
  }

  private let processMax: Int
  private let addressMax: Int
  private let userMax: Int
  private let state = NIOLockedValueBox(State())
  /// What UPLOADs unpack to.
  let uploads: UploadRooms

  /// - Parameters:
  ///   - byteCount: The limit of the process. An address has a quarter, a user an eighth, and each
  ///     enough for one message.
  ///   - messageByteCount: The largest message with what goes with it.
  init(byteCount: Int, messageByteCount: Int = (16 << 20) + (1 << 20)) {
    processMax = byteCount
    addressMax = max(byteCount / 4, messageByteCount)
    userMax = max(byteCount / 8, messageByteCount)
    uploads = UploadRooms(byteCount: byteCount / 8)
  }

  var byteCount: Int { state.withLockedValue { $0.total } }

  /// The connections that wait for room.
  var waitingCount: Int { state.withLockedValue { $0.waiters.count } }

  /// A share of what clients have, for one socket or body.
  func share(address: String) -> Share {
    let payer = Payer(address: "address " + address)
    return Share(self, payer, Accounts(address: join(payer.address)))
  }

  // MARK: Accounts

  fileprivate func join(_ name: String) -> MemoryAccounts.Number {
    state.withLockedValue { $0.accounts.join(name) }
  }

  fileprivate func leave(_ accounts: Accounts) {
    state.withLockedValue { state in
      state.accounts.leave(accounts.address)
      if let user = accounts.user { state.accounts.leave(user) }
    }
  }

  /// The accounts of a share that has nothing, with another user.
  fileprivate func change(_ accounts: Accounts, to user: String) -> Accounts {
    state.withLockedValue { state in
      if let last = accounts.user { state.accounts.leave(last) }
      return Accounts(address: accounts.address, user: state.accounts.join(user))
    }
  }

  // MARK: Taking

  /// - Parameter isOutput: Whether it is for a message that the server is about to make.
  private func hasRoom(
    _ byteCount: Int, _ accounts: Accounts, isOutput: Bool, _ state: State
  ) -> Bool {
    func fits(_ count: Int, _ limit: Int) -> Bool {
      count + byteCount <= (isOutput ? limit / 4 * 3 : limit)
    }
    guard fits(state.total, processMax), fits(state.accounts[accounts.address], addressMax) else {
      return false
    }
    guard let user = accounts.user else { return true }
    return fits(state.accounts[user], userMax)
  }

  private func add(_ byteCount: Int, _ accounts: Accounts, _ state: inout State) {
    state.total += byteCount
    state.accounts[accounts.address] += byteCount
    if let user = accounts.user { state.accounts[user] += byteCount }
  }

  /// Whether less than half of a limit is left.
  private func isTight(_ accounts: Accounts, _ state: State) -> Bool {
    if state.total > processMax / 2 { return true }
    if state.accounts[accounts.address] > addressMax / 2 { return true }
    guard let user = accounts.user else { return false }
    return state.accounts[user] > userMax / 2
  }

  /// Takes bytes if there is room for them.
  fileprivate func take(_ byteCount: Int, _ accounts: Accounts, isOutput: Bool) -> Bool {
    state.withLockedValue { state in
      guard hasRoom(byteCount, accounts, isOutput: isOutput, state) else { return false }
      add(byteCount, accounts, &state)
      return true
    }
  }

  /// Takes bytes that are there already, or gives some back. Returns whether less than half of a
  /// limit is left.
  @discardableResult
  fileprivate func change(by byteCount: Int, _ accounts: Accounts) -> Bool {
    let (isTight, woken) = state.withLockedValue { state -> (Bool, [Waiter]) in
      add(byteCount, accounts, &state)
      return (self.isTight(accounts, state), byteCount < 0 ? takeWoken(&state) : [])
    }
    for waiter in woken { waiter.continuation.resume() }
    return isTight
  }

  // MARK: Waiting

  private func takeWoken(_ state: inout State) -> [Waiter] {
    guard !state.waiters.isEmpty else { return [] }
    let (current, waiters) = (state, state.waiters)
    func isWoken(_ waiter: Waiter) -> Bool {
      hasRoom(waiter.byteCount, waiter.accounts, isOutput: true, current)
    }
    state.waiters = waiters.filter { !isWoken($0) }
    return waiters.filter(isWoken)
  }

  /// Begins to wait for room for a message, unless there is some. Returns whether it waits.
  fileprivate func wait(
    _ byteCount: Int, _ accounts: Accounts, for share: ObjectIdentifier,
    _ continuation: CheckedContinuation<Void, Never>
  ) -> Bool {
    state.withLockedValue { state in
      guard !hasRoom(byteCount, accounts, isOutput: true, state) else { return false }
      state.waiters.append(
        Waiter(
          share: share, accounts: accounts, byteCount: byteCount, continuation: continuation))
      return true
    }
  }

  fileprivate func endWaits(of share: ObjectIdentifier) {
    let ended = state.withLockedValue { state in
      let ended = state.waiters.filter { $0.share == share }
      state.waiters.removeAll { $0.share == share }
      return ended
    }
    for waiter in ended { waiter.continuation.resume() }
  }
}

extension MemoryBudget {
  /// What one connection or body has taken.
  final class Share: SocketMemory, ConnectionMemory {
    private struct State {
      var payer: Payer
      var accounts: Accounts
      /// What is taken, all in all.
      var byteCount = 0
      /// The part of it that the connection has noted.
      var heldByteCount = 0
      var hasEnded = false
    }

    private let budget: MemoryBudget
    /// Its lock is taken before that of the budget, which knows no shares, so never after.
    private let state: NIOLockedValueBox<State>

    fileprivate init(_ budget: MemoryBudget, _ payer: Payer, _ accounts: Accounts) {
      self.budget = budget
      state = NIOLockedValueBox(State(payer: payer, accounts: accounts))
    }

    deinit {
      budget.uploads.end(of: ObjectIdentifier(self))
      let (count, accounts) = state.withLockedValue { ($0.byteCount, $0.accounts) }
      if count > 0 { budget.change(by: -count, accounts) }
      budget.leave(accounts)
    }

    /// Names the user, whose limit counts too from now on.
    func setUser(_ user: String) {
      state.withLockedValue { state in
        let name = "user " + user
        budget.change(by: -state.byteCount, state.accounts)
        state.accounts = budget.change(state.accounts, to: name)
        budget.change(by: state.byteCount, state.accounts)
        state.payer.user = name
      }
    }

    // MARK: Sockets and bodies

    func take(_ byteCount: Int) -> Bool { take(byteCount, isOutput: false) }

    private func take(_ byteCount: Int, isOutput: Bool) -> Bool {
      state.withLockedValue { state in
        guard budget.take(byteCount, state.accounts, isOutput: isOutput) else { return false }
        state.byteCount += byteCount
        return true
      }
    }

    func giveBack(_ byteCount: Int) {
      state.withLockedValue { state in
        let count = min(byteCount, state.byteCount - state.heldByteCount)
        state.byteCount -= count
        budget.change(by: -count, state.accounts)
      }
    }

    // MARK: Connections

    func hold(_ byteCount: Int) -> Bool {
      state.withLockedValue { state in
        let change = byteCount - state.heldByteCount
        state.heldByteCount = byteCount
        state.byteCount += change
        return budget.change(by: change, state.accounts)
      }
    }

    func reserve(_ byteCount: Int) -> Bool { take(byteCount, isOutput: true) }

    func release(_ byteCount: Int) { giveBack(byteCount) }

    func waitForRoom(_ byteCount: Int) async {
      await withCheckedContinuation { continuation in
        let isWaiting = state.withLockedValue { state in
          !state.hasEnded
            && budget.wait(byteCount, state.accounts, for: ObjectIdentifier(self), continuation)
        }
        if !isWaiting { continuation.resume() }
      }
    }

    func takeUploadRoom(
      _ byteCount: Int, for session: UInt64, isFound: @escaping @Sendable () -> Void
    ) {
      budget.uploads.take(
        byteCount, state.withLockedValue { $0.payer },
        for: UploadRooms.Holder(share: ObjectIdentifier(self), session: session), isFound)
    }

    func giveUploadRoomBack(of session: UInt64) {
      budget.uploads.giveBack(
        UploadRooms.Holder(share: ObjectIdentifier(self), session: session))
    }

    func end() {
      state.withLockedValue { $0.hasEnded = true }
      budget.endWaits(of: ObjectIdentifier(self))
    }
  }
}
#endif
