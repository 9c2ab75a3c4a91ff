// SPDX-License-Identifier: Apache-2.0

// A connection to a server: carries out what its machine decides.
//
// 1. What a socket brings is an input only as long as the connection has not given that socket up.
// 2. Messages are sent in the order in which the machine sends them.
// 3. Each wait is answered exactly once.

import RealmStorage
package import RealmSyncProtocol

/// A connection of a user, shared by all sessions of one mode.
package actor SyncConnection {
  /// With more bytes that are not sent, files are not scanned for uploads.
  private static let outgoingByteCountMax = 4 << 20

  private struct Member {
    var session: any ConnectedSession
    /// A scan for uploads that waits until messages are sent.
    var heldScan: (number: UInt64, request: StoreRequest)?
  }

  private let provider: any SyncSocketProvider
  private let authority: any SyncAuthority
  private let clock: SyncClock
  private let observer: @Sendable (ConnectionEvent) -> Void
  private let mode: SyncMode

  private var machine: ConnectionMachine
  private var members: [UInt64: Member] = [:]
  private var lastName: UInt64 = 0
  private var timers: [ConnectionTimer: Task<Void, Never>] = [:]
  private var waits: [UInt64: CheckedContinuation<SessionFailure?, Never>] = [:]
  private var lastWait: UInt64 = 0
  private var link: Link?
  /// Counts the sockets (`SyncConnection` 1).
  private var linkNumber: UInt64 = 0
  private var isRefreshingToken = false
  private var isRefreshingLocation = false
  private var readers: [CheckedContinuation<Void, Never>] = []
  private var isReadingPaused = false

  /// A socket, and what is sent to it.
  private struct Link {
    var number: UInt64
    var task: Task<Void, Never>?
    var outgoing: AsyncStream<Outgoing>.Continuation
    var isOpen = false
    /// The bytes that are not sent.
    var byteCount = 0
  }

  private enum Outgoing: Sendable {
    case message([UInt8])
    case close(CloseCode)
  }

  /// What the tasks of a socket keep of the connection.
  private struct Owner: Sendable {
    weak let connection: SyncConnection?
  }

  /// Makes a connection, which is opened when a session needs it.
  ///
  /// - Parameter observer: Takes news, in order; must not block.
  package init(
    mode: SyncMode, timeouts: SyncTimeouts = SyncTimeouts(), provider: any SyncSocketProvider,
    authority: any SyncAuthority, clock: SyncClock = .continuous,
    observer: @escaping @Sendable (ConnectionEvent) -> Void = { _ in }
  ) {
    self.mode = mode
    self.provider = provider
    self.authority = authority
    self.clock = clock
    self.observer = observer
    machine = ConnectionMachine(mode: mode, timeouts: timeouts)
  }

  deinit {
    for timer in timers.values { timer.cancel() }
    link?.outgoing.yield(.close(.normal))
    link?.outgoing.finish()
    if link?.isOpen == false { link?.task?.cancel() }
  }

  // MARK: Sessions

  /// Adds a session. Returns its name on this connection.
  package func add(_ session: any ConnectedSession, _ settings: SessionSettings) -> UInt64 {
    lastName += 1
    members[lastName] = Member(session: session)
    handle(.add(session: lastName, settings))
    return lastName
  }

  /// Ends a session: its waits fail, and it is forgotten.
  package func remove(_ name: UInt64) {
    handle(.remove(session: name))
    members[name] = nil
  }

  /// Tells a session what happened.
  package func tell(_ name: UInt64, _ input: SessionInput) { handle(.session(name, input)) }

  /// Waits until everything is uploaded or downloaded that was there to be when the wait began.
  ///
  /// - Throws: `SessionFailure`; `.canceled` if the task is cancelled.
  package func wait(for kind: SessionWait, of name: UInt64) async throws(SessionFailure) {
    guard members[name] != nil else { throw .terminated }
    lastWait += 1
    let id = lastWait
    let failure = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        waits[id] = continuation
        handle(.session(name, .wait(kind, id: id)))
        if Task.isCancelled { handle(.session(name, .cancelWait(id: id))) }
      }
    } onCancel: {
      Task { await self.tell(name, .cancelWait(id: id)) }
    }
    if let failure { throw failure }
  }

  /// Tries again at once if the connection waits for its next attempt.
  package func reconnect() { handle(.reconnect) }

  /// The user has a new access token.
  package func tokenRefreshed() { handle(.tokenRefreshed) }

  // MARK: Effects

  private func handle(_ input: ConnectionInput) {
    for effect in machine.handle(input, now: clock.now()) { carryOut(effect) }
  }

  private func carryOut(_ effect: ConnectionEffect) {
    switch effect {
    case .open: open()
    case .send(let bytes):
      link?.byteCount += bytes.count
      link?.outgoing.yield(.message(bytes))
    case .close(let code): close(code)
    case .setTimer(let timer, let time): set(timer, at: time)
    case .cancelTimer(let timer): timers.removeValue(forKey: timer)?.cancel()
    case .needsToken: refreshToken()
    case .needsLocation: refreshLocation()
    case .needsLogOut: Task { await authority.logOut() }
    case .pauseReading: isReadingPaused = true
    case .resumeReading: resumeReading()
    case .changed(let state): observer(.changed(state))
    case .report(let failure, let isFatal): observer(.failed(failure, isFatal: isFatal))
    case .log(let message): observer(.log(message))
    case .session(let name, let effect): carryOut(effect, of: name)
    }
  }

  private func carryOut(_ effect: SessionEffect, of name: UInt64) {
    switch effect {
    case .store(let number, let request):
      if case .scanUploads = request, let link, link.byteCount > Self.outgoingByteCountMax {
        members[name]?.heldScan = (number, request)
      } else {
        perform(number, request, of: name)
      }
    case .finish(let id, let failure):
      waits.removeValue(forKey: id)?.resume(returning: failure)
    default: members[name]?.session.take(effect)
    }
  }

  private func perform(_ number: UInt64, _ request: StoreRequest, of name: UInt64) {
    guard let session = members[name]?.session else { return }
    Task {
      let reply = await session.perform(request)
      handle(.session(name, .stored(request: number, reply)))
    }
  }

  private func refreshToken() {
    guard !isRefreshingToken else { return }
    isRefreshingToken = true
    Task {
      let isThere = await authority.refreshToken()
      isRefreshingToken = false
      handle(isThere ? .tokenRefreshed : .tokenUnavailable(jitter: Self.jitter()))
    }
  }

  private func refreshLocation() {
    guard !isRefreshingLocation else { return }
    isRefreshingLocation = true
    Task {
      let isThere = await authority.refreshLocation()
      isRefreshingLocation = false
      handle(isThere ? .locationRefreshed : .locationUnavailable(jitter: Self.jitter()))
    }
  }

  private func set(_ timer: ConnectionTimer, at time: Milliseconds) {
    timers[timer]?.cancel()
    timers[timer] = Task { [clock, weak self] in
      do { try await clock.sleep(time) } catch { return }
      await self?.fire(timer)
    }
  }

  private func fire(_ timer: ConnectionTimer) {
    handle(.timer(timer, jitter: Self.jitter()))
  }

  private static func jitter() -> UInt32 { .random(in: 0...UInt32.max) }

  // MARK: The socket

  private func open() {
    linkNumber += 1
    let number = linkNumber
    let (messages, outgoing) = AsyncStream.makeStream(of: Outgoing.self)
    link = Link(number: number, outgoing: outgoing)
    let (mode, authority, provider) = (mode, authority, provider)
    let owner = Owner(connection: self)
    link?.task = Task {
      let endpoint = await authority.endpoint(mode)
      do throws(SocketClosed) {
        let socket = try await provider.open(endpoint)
        await Self.run(socket, number, messages, of: owner)
      } catch {
        await owner.connection?.lost(number, error)
      }
    }
  }

  /// Sends and receives until the socket closes. Does not keep the connection while it waits.
  private static func run(
    _ socket: any SyncSocket, _ number: UInt64, _ messages: AsyncStream<Outgoing>,
    of owner: Owner
  ) async {
    guard await owner.connection?.opened(number, socket.protocolName) == true else {
      return await socket.close(.normal)
    }
    await withTaskGroup { group in
      group.addTask {
        for await outgoing in messages {
          switch outgoing {
          case .message(let bytes):
            // What cannot be sent is known to the receiving side, too.
            do { try await socket.send(bytes) } catch { return }
            await owner.connection?.sent(bytes.count, number)
          case .close(let code): return await socket.close(code)
          }
        }
      }
      group.addTask {
        while true {
          do throws(SocketClosed) {
            let message = try await socket.receive()
            guard await owner.connection?.received(message, number) == true else { return }
          } catch {
            await owner.connection?.lost(number, error)
            return
          }
        }
      }
    }
  }

  /// Returns whether the socket is still wanted.
  private func opened(_ number: UInt64, _ name: String) -> Bool {
    guard link?.number == number else { return false }
    link?.isOpen = true
    isReadingPaused = false
    handle(.opened(protocolName: name, jitter: Self.jitter()))
    return true
  }

  /// Returns whether more is to be read, when it is.
  private func received(_ message: [UInt8], _ number: UInt64) async -> Bool {
    guard link?.number == number else { return false }
    handle(.message(message, jitter: Self.jitter()))
    while isReadingPaused, link?.number == number {
      await withCheckedContinuation { readers.append($0) }
    }
    return link?.number == number
  }

  private func resumeReading() {
    isReadingPaused = false
    for reader in readers { reader.resume() }
    readers = []
  }

  private func sent(_ byteCount: Int, _ number: UInt64) {
    guard link?.number == number else { return }
    link?.byteCount -= byteCount
    guard let link, link.byteCount <= Self.outgoingByteCountMax / 2 else { return }
    releaseScans()
  }

  private func releaseScans() {
    for name in members.keys.sorted() {
      guard let (number, request) = members[name]?.heldScan else { continue }
      members[name]?.heldScan = nil
      perform(number, request, of: name)
    }
  }

  private func lost(_ number: UInt64, _ error: SocketClosed) {
    guard link?.number == number else { return }
    forgetLink()
    observer(.interrupted(error.code, message: error.message))
    handle(.closed(error.code, message: error.message, jitter: Self.jitter()))
  }

  private func close(_ code: CloseCode) {
    link?.outgoing.yield(.close(code))
    // Before it is open, only the end of its task ends it.
    if link?.isOpen == false { link?.task?.cancel() }
    forgetLink()
  }

  private func forgetLink() {
    link?.outgoing.finish()
    link = nil
    resumeReading()
    releaseScans()
  }
}
