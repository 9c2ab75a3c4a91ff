// SPDX-License-Identifier: Apache-2.0

// The sessions of a connection.

extension ConnectionMachine {
  mutating func add(_ name: UInt64, _ settings: SessionSettings) {
    assert(sessions[name] == nil, "two sessions have one name")
    sessions[name] = Session(machine: SessionMachine(settings: settings))
    pass(.activate, to: name)
    begin(name)
    connectIfNeeded()
  }

  mutating func remove(_ name: UInt64) {
    guard sessions[name] != nil else { return }
    pass(.terminate, to: name)
    if let number = sessions[name]?.number { names[number] = nil }
    sessions[name] = nil
    cancel(.session(name))
    lingerIfUnused()
  }

  /// Hands an input to a session, and carries out those of its effects that are the connection's.
  mutating func pass(_ input: SessionInput, to name: UInt64, _ jitter: UInt32 = 0) {
    guard var session = sessions[name] else { return }
    switch input {
    case .resume:
      session.isSuspended = false
      session.retryAt = nil
      (session.awaitsToken, session.awaitsLocation) = (false, false)
      cancel(.session(name))
    default: break
    }
    let wanted = session.machine.handle(input, now: now)
    sessions[name] = session
    for effect in wanted { carryOut(effect, of: name, jitter) }
  }

  private mutating func carryOut(
    _ effect: SessionEffect, of name: UInt64, _ jitter: UInt32
  ) {
    switch effect {
    case .send(let message):
      // A session that loses its connection may have said its last words on it.
      guard phase == .open else { return }
      send(message)
    case .suspended(let time):
      if let number = sessions[name]?.number { names[number] = nil }
      sessions[name]?.number = nil
      sessions[name]?.isSuspended = true
      sessions[name]?.retryAt = time
      cancel(.session(name))
      if let time { set(.session(name), after: time > now ? time - now : 0) }
      effects.append(.session(name, effect))
    case .needsSession:
      sessions[name]?.isSuspended = false
      begin(name)
      connectIfNeeded()
    case .needsToken:
      sessions[name]?.awaitsToken = true
      effects.append(.needsToken)
    case .needsLocation:
      sessions[name]?.awaitsLocation = true
      effects.append(.needsLocation)
    case .dropConnection(let code, let message): violated(code, message, jitter)
    case .pauseReading: sessions[name]?.pausesReading = true
    case .resumeReading: sessions[name]?.pausesReading = false
    case .store, .needsReset, .finish, .report: effects.append(.session(name, effect))
    }
  }
}
