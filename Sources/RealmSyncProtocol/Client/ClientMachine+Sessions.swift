// SPDX-License-Identifier: Apache-2.0

// The sessions of a connection.

extension ClientMachine {
  /// Whether there are sessions, those that rest among them.
  var hasSessions: Bool { sessions.values.contains { $0.phase != .ended } }

  mutating func begin(_ name: UInt64, _ settings: SessionSettings) {
    assert(sessions[name] == nil, "two sessions have one name")
    sessions[name] = ClientSession(name: name, settings: settings)
    connect(name)
    connectIfNeeded()
  }

  mutating func end(_ name: UInt64) {
    update(name) { $0.end() }
    cancel(.session(name))
    removeIfOver(name)
    lingerIfUnused()
  }

  /// Forgets a session that is over, when its last request is.
  private mutating func removeIfOver(_ name: UInt64) {
    if let session = sessions[name], session.phase != .ended || session.request != nil { return }
    sessions[name] = nil
    effects.append(.ended(session: name))
  }

  mutating func stored(_ name: UInt64, _ request: UInt64, _ reply: StoreReply) {
    update(name) { $0.stored(request, reply) }
    if sessions[name]?.phase == .ended { removeIfOver(name) }
  }

  mutating func wait(_ name: UInt64, _ kind: SessionWait, _ id: UInt64) {
    guard sessions[name] != nil else {
      return effects.append(.finish(wait: id, .terminated))
    }
    update(name) { $0.wait(for: kind, id: id) }
  }

  /// Lets a session that rests go on.
  mutating func resume(_ name: UInt64) {
    guard sessions[name]?.rest != nil else { return }
    cancel(.session(name))
    update(name) { $0.resume() }
    connect(name)
    connectIfNeeded()
  }

  /// Lets a session rest whose file is about to be reset, unless the app has suspended it.
  mutating func willReset(_ name: UInt64) {
    guard sessions[name]?.rest != .app else { return }
    update(name) { $0.rest(for: .error) }
  }

  /// Lets a session go on with a file that was reset, unless the app has suspended it.
  mutating func didReset(_ name: UInt64) {
    update(name) { $0.noteReset() }
    if sessions[name]?.rest == .error { resume(name) }
  }

  /// Lets the sessions go on that rest for something.
  mutating func resumeAll(_ isOver: (SessionRest) -> Bool) {
    for name in sessions.keys.sorted() {
      if let rest = sessions[name]?.rest, isOver(rest) { resume(name) }
    }
    connectIfNeeded()
  }

  /// Gives a session a number on the open connection.
  mutating func connect(_ name: UInt64) {
    guard var link, sessions[name]?.phase == .unbound else { return }
    link.lastNumber += 1
    self.link = link
    cancel(.linger)
    update(name) { [now] in $0.connect(link.lastNumber, link.version, now: now) }
  }

  /// Changes a session, lets it do what it can do then, and carries out those of its outputs that
  /// are the connection's.
  mutating func update(
    _ name: UInt64, _ jitter: UInt32 = 0, _ change: (inout ClientSession) -> Void
  ) {
    guard let index = sessions.index(forKey: name) else { return }
    let mayUpload =
      link.map { !$0.isOutputBlocked && $0.outputByteCount <= limits.outputByteCount } ?? false
    change(&sessions.values[index])
    sessions.values[index].proceed(mayUpload: mayUpload, now: now)
    let outputs = sessions.values[index].outputs
    sessions.values[index].outputs = []
    for output in outputs { carryOut(output, of: name, jitter) }
  }

  private mutating func carryOut(
    _ output: ClientSession.Output, of name: UInt64, _ jitter: UInt32
  ) {
    switch output {
    case .message(let message, let stored):
      // A session that loses its connection may have said its last words on it.
      if let link { send(message, after: stored, on: link) }
    case .effect(let effect): effects.append(effect)
    case .rested(let rest):
      cancel(.session(name))
      switch rest {
      case .delay(let time): set(.session(name), after: time > now ? time - now : 0)
      case .token: askForToken()
      case .location: askForLocation()
      case .app, .error: break
      }
    case .violation(let code, let message): violated(code, message, jitter)
    }
  }
}
