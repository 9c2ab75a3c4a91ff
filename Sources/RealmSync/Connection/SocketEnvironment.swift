// SPDX-License-Identifier: Apache-2.0

// The environment of programs: sockets of a provider, tokens of a user, the system's time, tasks.
//
// 1. Messages are sent in the order of the calls.
// 2. What waits for a socket, a time or a token does not keep the driver.

import RealmStorage
package import RealmSyncProtocol

/// Opens sockets for a `ClientDriver`, and waits for what it waits for.
package final class SocketEnvironment: ClientEnvironment {
  /// A socket, and what is sent to it.
  private struct Link {
    let outgoing: AsyncStream<Outgoing>.Continuation
    var task: Task<Void, Never>?
    var isOpen = false
    var isReadingPaused = false
    /// The reader of a socket that is not to be read.
    var reader: CheckedContinuation<Void, Never>?
  }

  private struct State {
    var links: [UInt64: Link] = [:]
    /// The socket that was opened last.
    var socket: UInt64 = 0
    var timers: [ClientTimer: Task<Void, Never>] = [:]
  }

  private enum Outgoing: Sendable {
    case message([UInt8])
    case close(CloseCode)
  }

  /// What tasks keep of the driver.
  private struct Owner: Sendable {
    weak let driver: ClientDriver?
  }

  private let mode: SyncMode
  private let provider: any SyncSocketProvider
  private let authority: any SyncAuthority
  private let clock: SyncClock
  private let state = Locked(State())

  package init(
    mode: SyncMode, provider: any SyncSocketProvider, authority: any SyncAuthority,
    clock: SyncClock = .continuous
  ) {
    self.mode = mode
    self.provider = provider
    self.authority = authority
    self.clock = clock
  }

  package var now: Milliseconds { clock.now() }

  private static func jitter() -> UInt32 { .random(in: 0...UInt32.max) }

  package func schedule(_ driver: ClientDriver) { Task { driver.carryOut() } }

  package func perform(
    _ request: StoreRequest, by agent: SyncAgent, _ end: @escaping @Sendable (StoreReply) -> Void
  ) {
    Task { end(await agent.perform(request)) }
  }

  package func stop() {
    let timers = state.withLock { state in
      defer { state.timers = [:] }
      return state.timers.values
    }
    for timer in timers { timer.cancel() }
    close(.normal)
  }

  // MARK: Time and the user

  package func set(_ timer: ClientTimer, at time: Milliseconds, for driver: ClientDriver) {
    let owner = Owner(driver: driver)
    let task = Task { [clock] in
      do { try await clock.sleep(time) } catch { return }
      owner.driver?.deliver(.timer(timer, jitter: Self.jitter()))
    }
    state.withLock { $0.timers.updateValue(task, forKey: timer) }?.cancel()
  }

  package func cancel(_ timer: ClientTimer) {
    state.withLock { $0.timers.removeValue(forKey: timer) }?.cancel()
  }

  package func refreshToken(for driver: ClientDriver) {
    let owner = Owner(driver: driver)
    Task { [authority] in
      let isThere = await authority.refreshToken()
      owner.driver?.deliver(
        isThere ? .tokenRefreshed : .tokenUnavailable(jitter: Self.jitter()))
    }
  }

  package func refreshLocation(for driver: ClientDriver) {
    let owner = Owner(driver: driver)
    Task { [authority] in
      let isThere = await authority.refreshLocation()
      owner.driver?.deliver(
        isThere ? .locationRefreshed : .locationUnavailable(jitter: Self.jitter()))
    }
  }

  package func logOut() { Task { [authority] in await authority.logOut() } }

  // MARK: The socket

  package func open(_ socket: UInt64, for driver: ClientDriver) {
    let (messages, outgoing) = AsyncStream.makeStream(of: Outgoing.self)
    state.withLock { state in
      assert(socket > state.socket, "a number of a socket is used again")
      state.socket = socket
      state.links[socket] = Link(outgoing: outgoing)
    }
    let owner = Owner(driver: driver)
    let task = Task { [mode, authority, provider] in
      let endpoint = await authority.endpoint(mode)
      do throws(SocketClosed) {
        let opened = try await provider.open(endpoint)
        await run(opened, socket, messages, of: owner)
      } catch {
        lost(socket, error, of: owner)
      }
    }
    state.withLock { $0.links[socket]?.task = task }
  }

  package func send(_ message: [UInt8], after stored: StoredState?) {
    state.withLock { $0.links[$0.socket]?.outgoing }?.yield(.message(message))
  }

  package func close(_ code: CloseCode) {
    guard let link = state.withLock({ $0.links.removeValue(forKey: $0.socket) }) else { return }
    link.outgoing.yield(.close(code))
    link.outgoing.finish()
    // Before it is open, only the end of its task ends it.
    if !link.isOpen { link.task?.cancel() }
    link.reader?.resume()
  }

  package func pauseReading() {
    state.withLock { $0.links[$0.socket]?.isReadingPaused = true }
  }

  package func resumeReading() {
    let reader = state.withLock { state in
      state.links[state.socket]?.isReadingPaused = false
      defer { state.links[state.socket]?.reader = nil }
      return state.links[state.socket]?.reader
    }
    reader?.resume()
  }

  /// Sends and receives until the socket closes.
  private func run(
    _ socket: any MessageSocket, _ number: UInt64, _ messages: AsyncStream<Outgoing>,
    of owner: Owner
  ) async {
    let isWanted = state.withLock { state in
      state.links[number]?.isOpen = true
      return state.links[number] != nil
    }
    guard isWanted else { return await socket.close(.normal) }
    owner.driver?.deliver(
      .opened(socket: number, protocolName: socket.protocolName, jitter: Self.jitter()))
    await withTaskGroup { group in
      group.addTask {
        for await outgoing in messages {
          switch outgoing {
          case .message(let bytes):
            // What cannot be sent is known to the receiving side, too.
            do { try await socket.send(bytes) } catch { return }
            owner.driver?.deliver(.sent(socket: number, byteCount: bytes.count))
          case .close(let code): return await socket.close(code)
          }
        }
      }
      group.addTask {
        while true {
          do throws(SocketClosed) {
            let message = try await socket.receive()
            owner.driver?.deliver(
              .message(socket: number, message, jitter: Self.jitter()))
          } catch {
            return self.lost(number, error, of: owner)
          }
          guard await self.mayRead(number) else { return }
        }
      }
    }
  }

  /// Waits while a socket is not to be read. Returns whether it is wanted.
  private func mayRead(_ number: UInt64) async -> Bool {
    await withCheckedContinuation { reader in
      let isPaused = state.withLock { state in
        guard state.links[number]?.isReadingPaused == true else { return false }
        assert(state.links[number]?.reader == nil, "a socket has two readers")
        state.links[number]?.reader = reader
        return true
      }
      if !isPaused { reader.resume() }
    }
    return state.withLock { $0.links[number] != nil }
  }

  private func lost(_ number: UInt64, _ error: SocketClosed, of owner: Owner) {
    state.withLock { $0.links.removeValue(forKey: number) }?.outgoing.finish()
    owner.driver?.deliver(
      .closed(
        socket: number, error.code, message: error.message, jitter: Self.jitter()))
  }
}

extension ClientDriver {
  /// A driver of programs, whose connection is opened when a session needs it.
  package convenience init(
    mode: SyncMode, timeouts: SyncTimeouts = SyncTimeouts(), provider: any SyncSocketProvider,
    authority: any SyncAuthority, clock: SyncClock = .continuous,
    observer: @escaping @Sendable (ClientEvent) -> Void = { _ in }
  ) {
    self.init(
      ClientMachine(mode: mode, timeouts: timeouts),
      environment: SocketEnvironment(
        mode: mode, provider: provider, authority: authority, clock: clock),
      observer: observer)
  }
}
