// SPDX-License-Identifier: Apache-2.0

// The triggers of an app: their beginnings and ends.
//
// Invariants:
// 1. A new trigger begins with the events after its record is stored: its positions are
//    read before, and are stored with it.
// 2. Changes of triggers are made one after the other.
// 3. The history for a trigger is kept while it runs, and for `keptMilliseconds` while it
//    does not.
// 4. Where several servers share the records of the triggers, those of one run: the one with the
//    lease. Another begins where the records say that the one before has come.

#if Server
package import RealmServerEngine
import RealmStorage
package import RealmSyncProtocol

/// Runs the triggers of one app.
package actor TriggerService {
  /// The surroundings of triggers.
  package struct Environment: Sendable {
    let clock: ServerClock
    let timer: SyncClock
    let random: RandomBytes
    /// Takes news for the operator.
    let notice: @Sendable (String) -> Void

    package init(
      clock: ServerClock, timer: SyncClock = .continuous, random: RandomBytes = RandomBytes(),
      notice: @escaping @Sendable (String) -> Void = { _ in }
    ) {
      self.clock = clock
      self.timer = timer
      self.random = random
      self.notice = notice
    }
  }

  /// How long the history waits for a stopped trigger: seven days.
  package static let keptMilliseconds: UInt64 = 7 * 24 * 3_600 * 1_000
  /// The most triggers of an app.
  package static let countMax = 100
  static let pollInterval: Milliseconds = 60_000
  private static let retryInterval: Milliseconds = 30_000

  private struct Running {
    let context: TriggerContext
    let task: Task<Void, Never>
  }

  /// What is under way beside the runs.
  private enum Phase {
    case idle
    /// Another server has the lease. The task asks for it again.
    case waiting(Task<Void, Never>)
    /// The tasks hear of new versions and users, and keep the lease.
    case following([Task<Void, Never>], observation: Int)
  }

  private let app: ServerApp
  private let accounts: AccountService
  private let functions: FunctionService
  private let realms: TriggerRealms
  private let reader = TriggerReader()
  private let environment: Environment
  private let heads: @Sendable () -> AsyncStream<RealmHead>
  /// Opens the store; nil if there is none, and none has to be made.
  private let opens: @Sendable (_ isNeeded: Bool) async throws(StoreError) -> (any TriggerStore)?
  private var store: (any TriggerStore)?
  private var opening: Task<Result<(any TriggerStore)?, StoreError>, Never>?
  private var settings: [TriggerSettings] = []
  private var running: [String: Running] = [:]
  private var stopped: [String: TriggerStatus] = [:]
  private var phase = Phase.idle
  private var last: Task<Void, Never>?

  /// - Parameters:
  ///   - documents: The documents of the app.
  ///   - heads: The new versions of the app's realms.
  ///   - store: Opens the store of the triggers; an app without triggers needs none.
  package init(
    _ app: ServerApp, documents: DocumentService, accounts: AccountService,
    functions: FunctionService, environment: Environment,
    heads: @escaping @Sendable () -> AsyncStream<RealmHead>,
    store: @escaping @Sendable (_ isNeeded: Bool) async throws(StoreError) -> (any TriggerStore)?
  ) {
    self.app = app
    self.accounts = accounts
    self.functions = functions
    self.environment = environment
    self.heads = heads
    opens = store
    realms = TriggerRealms(app, documents)
  }

  // MARK: Changes, one after the other

  private func inTurn(_ body: @escaping @Sendable () async -> Void) async {
    let before = last
    let next = Task {
      await before?.value
      await body()
    }
    last = next
    await next.value
  }

  /// Runs these triggers from now on, and no others.
  package func apply(_ settings: [TriggerSettings]) async {
    // Versions have touches from now on.
    let asks = settings.contains { if case .database = $0.kind { !$0.isDisabled } else { false } }
    app.realms.touches.isThere = asks
    await inTurn { await self.change(to: settings) }
  }

  /// Ends all runs, and stores how far they have come.
  package func stop() async {
    await inTurn { await self.endAll() }
  }

  /// Stops a trigger until it is resumed.
  package func suspend(_ name: String) async { await request(.suspend, of: name) }

  /// Lets a trigger run again.
  package func resume(_ name: String, from place: TriggerRecord.Request = .position) async {
    await request(place, of: name)
  }

  private func request(_ request: TriggerRecord.Request, of name: String) async {
    await inTurn { await self.carryOut(request, of: name) }
  }

  /// Carries out the requests of commands beside the server.
  package func carryOutRequests() async {
    await inTurn { await self.takeRequests() }
  }

  // MARK: Starting and ending

  private func change(to new: [TriggerSettings]) async {
    for (name, _) in running where new.first(where: { $0.name == name }) != current(name) {
      await end(name)
    }
    settings = new
    stopped = stopped.filter { entry in new.contains { $0.name == entry.key } }
    do throws(StoreError) {
      guard let store = try await openedStore(isNeeded: !new.isEmpty) else { return }
      guard try await hasLease(of: store) else {
        try await wait(with: store)
        return
      }
      let records = try await store.records()
      for record in records where !new.contains(where: { $0.name == record.name }) {
        try await store.remove(record.name)
      }
      follow(store)
      let idle = new.filter { running[$0.name] == nil }
      for trigger in idle {
        try await begin(trigger, records.first { $0.name == trigger.name }, in: store)
      }
      await scan(idle.map(\.name))
    } catch {
      environment.notice("The triggers of the app do not run yet: \(error)")
      retry()
    }
  }

  /// The store, opened once; nil if there is none and none has to be made.
  private func openedStore(isNeeded: Bool) async throws(StoreError) -> (any TriggerStore)? {
    while store == nil {
      if let opening {
        // It may have been opened for somebody who needs none.
        _ = await opening.value
        if self.opening != opening || store != nil { continue }
      }
      let opens = opens
      let task = Task<Result<(any TriggerStore)?, StoreError>, Never> {
        do throws(StoreError) {
          return .success(try await opens(isNeeded))
        } catch {
          return .failure(error)
        }
      }
      opening = task
      let result = await task.value
      if opening == task { opening = nil }
      guard let opened = try result.get() else { return nil }
      if store == nil { store = opened }
    }
    return store
  }

  private func current(_ name: String) -> TriggerSettings? {
    settings.first { $0.name == name }
  }

  // MARK: The lease

  private func hasLease(of store: any TriggerStore) async throws(StoreError) -> Bool {
    guard let lease = store.lease, !lease.isHeld else { return true }
    return try await lease.take()
  }

  /// Asks for the lease again in a while: another server has it. Until then the states are as the
  /// records have them.
  private func wait(with store: any TriggerStore) async throws(StoreError) {
    guard let lease = store.lease else { return }
    // The runs of this server are over with its lease.
    await endRuns()
    let records = try await store.records()
    for trigger in settings {
      let known = records.first { $0.name == trigger.name }
      note(known ?? TriggerRecord(trigger.name, subject: trigger.subject), of: trigger)
    }
    let (timer, interval) = (environment.timer, lease.interval)
    phase = .waiting(
      Task { [weak self] in
        try? await timer.sleep(timer.now() + interval)
        if !Task.isCancelled { await self?.changeAgain() }
      })
  }

  private func changeAgain() async {
    await inTurn {
      // Unless all was ended meanwhile.
      if await self.isWaiting { await self.change(to: self.settings) }
    }
  }

  private var isWaiting: Bool { if case .waiting = phase { true } else { false } }

  private var isFollowing: Bool { if case .following = phase { true } else { false } }

  /// Renews the lease until it is lost.
  private func keep(_ lease: any TriggerLease) async {
    let timer = environment.timer
    while !Task.isCancelled {
      try? await timer.sleep(timer.now() + lease.interval)
      if Task.isCancelled { return }
      guard await lease.renew() else {
        environment.notice("Another server runs the triggers of the app")
        return await inTurn { await self.lose() }
      }
    }
  }

  /// Ends all runs, as another server may have begun them, and waits for the lease.
  private func lose() async {
    guard isFollowing else { return }
    await endRuns()
    await change(to: settings)
  }

  private func retry() {
    let (timer, settings) = (environment.timer, settings)
    Task { [weak self] in
      try? await timer.sleep(timer.now() + Self.retryInterval)
      await self?.change(again: settings)
    }
  }

  private func change(again settings: [TriggerSettings]) async {
    guard settings == self.settings else { return }
    await inTurn { await self.change(to: settings) }
  }

  /// Begins to run a trigger, if it is not stopped.
  private func begin(
    _ trigger: TriggerSettings, _ known: TriggerRecord?, in store: any TriggerStore
  ) async throws(StoreError) {
    var record = known ?? TriggerRecord(trigger.name, subject: trigger.subject)
    let isNew = known == nil || record.subject != trigger.subject
    if isNew { record = TriggerRecord(trigger.name, subject: trigger.subject) }
    let wasDisabled = record.state == .disabled
    if trigger.isDisabled {
      if record.state != .disabled { record.stopped = environment.clock.now() }
      record.state = .disabled
    } else if wasDisabled {
      record.state = .active
      record.stopped = nil
    }
    let request = record.request
    record.request = nil
    if request == .suspend, record.state == .active {
      (record.state, record.stopped) = (.suspended, environment.clock.now())
    } else if request != nil, record.state == .suspended {
      (record.state, record.stopped, record.error, record.errorTime) = (.active, nil, nil, nil)
    }
    var place = isNew ? TriggerRecord.Request.now : request ?? .position
    let goesOn = record.state == .active && (wasDisabled || known?.state == .suspended)
    if goesOn, place == .position, trigger.skipsCatchUp { place = .now }
    let positions = try await move(&record, trigger, to: place)
    if record != known || positions != nil { try await store.put(record, positions: positions) }
    if record.state == .active {
      run(trigger, record, in: store)
    } else {
      note(record, of: trigger)
    }
  }

  /// Sets the place where a trigger goes on; returns its new positions, nil if they stay.
  private func move(
    _ record: inout TriggerRecord, _ trigger: TriggerSettings, to place: TriggerRecord.Request
  ) async throws(StoreError) -> [RealmID: TriggerPosition]? {
    guard place == .now || place == .start else { return nil }
    switch trigger.kind {
    case .scheduled:
      record.number = ScheduleRun.minute(of: environment.clock.now())
      return nil
    case .authentication:
      let events = try await accounts.store.events(after: .max, count: 0)
      record.number = Int64(clamping: place == .now ? events.last : events.goneThrough)
      return nil
    case .database:
      var positions: [RealmID: TriggerPosition] = [:]
      for realm in try await realms.all() {
        let head = try await realms.head(of: realm)
        positions[realm] =
          place == .now || head.base == head.version
          ? TriggerPosition(head) : TriggerPosition(version: head.base)
      }
      return positions
    }
  }

  private func note(_ record: TriggerRecord, of trigger: TriggerSettings) {
    var status = TriggerStatus(trigger)
    (status.state, status.error, status.errorTime) = (record.state, record.error, record.errorTime)
    stopped[trigger.name] = status
  }

  private func end(_ name: String) async {
    guard let entry = running.removeValue(forKey: name) else { return }
    entry.task.cancel()
    entry.context.queue.close()
    await entry.task.value
  }

  private func endAll() async {
    await endRuns()
    await store?.lease?.giveUp()
    store = nil
    settings = []
  }

  private func endRuns() async {
    for entry in running.values { entry.task.cancel() }
    for name in running.keys.sorted() { await end(name) }
    switch phase {
    case .idle: break
    case .waiting(let task): task.cancel()
    case .following(let tasks, let observation):
      for task in tasks { task.cancel() }
      accounts.news.remove(observation)
    }
    phase = .idle
  }

  // MARK: Runs

  private func run(
    _ trigger: TriggerSettings, _ record: TriggerRecord, in store: any TriggerStore
  ) {
    let context = TriggerContext(
      trigger, store: store, functions: functions, clock: environment.clock,
      timer: environment.timer, random: environment.random, notice: environment.notice)
    stopped[trigger.name] = nil
    let (realms, reader, accounts, number) = (realms, reader, accounts, record.number)
    let forgetEvents: @Sendable () async -> Void = { [weak self] in await self?.forgetEvents() }
    let task = Task { [weak self] in
      do throws(TriggerStop) {
        switch trigger.kind {
        case .database(let database):
          var run = try DatabaseRun(context, database, realms, reader)
          try await run.run()
        case .authentication(let authentication):
          var run = AuthenticationRun(
            context, authentication, accounts, after: number, didStore: forgetEvents)
          try await run.run()
        case .scheduled(let schedule):
          var run = ScheduleRun(context, schedule, after: number)
          try await run.run()
        }
      } catch {
        guard case .suspended(let reason) = error else { return }
        context.report("it is suspended: \(reason)")
        await self?.didSuspend(context, reason)
        context.queue.close()
      }
    }
    running[trigger.name] = Running(context: context, task: task)
  }

  /// Notes that a run has ended by itself, and shows it once it is noted. The run begins again with
  /// the next start where the note cannot be stored.
  private func didSuspend(_ context: TriggerContext, _ reason: String) async {
    guard running[context.name]?.context === context else { return }
    let now = environment.clock.now()
    do throws(StoreError) {
      if var record = try await context.store.records().first(where: { $0.name == context.name }) {
        (record.state, record.stopped) = (.suspended, now)
        (record.error, record.errorTime) = (reason, now)
        try await context.store.put(record, positions: nil)
      }
    } catch {
      environment.notice("The trigger '\(context.name)': its state cannot be stored: \(error)")
    }
    // It may have been ended or begun again meanwhile.
    guard running[context.name]?.context === context else { return }
    running[context.name] = nil
    var status = context.status
    status.state = .suspended
    status.error = reason
    stopped[context.name] = status
  }

  private func carryOut(_ request: TriggerRecord.Request, of name: String) async {
    guard let trigger = current(name), let store else { return }
    if let lease = store.lease, !lease.isHeld {
      do throws(StoreError) {
        // The server that runs it hears of it.
        _ = try await store.ask(request, of: name)
      } catch {
        environment.notice("The trigger '\(name)' cannot be changed: \(error)")
      }
      return
    }
    await end(name)
    do throws(StoreError) {
      var record = try await store.records().first { $0.name == name }
      record?.request = request
      try await begin(trigger, record, in: store)
      await scan([name])
    } catch {
      environment.notice("The trigger '\(name)' cannot be changed: \(error)")
      retry()
    }
  }

  private func takeRequests() async {
    guard let store, store.lease?.isHeld ?? true else { return }
    do throws(StoreError) {
      for record in try await store.records() {
        if let request = record.request { await carryOut(request, of: record.name) }
      }
    } catch {
      environment.notice("The triggers of the app cannot be read: \(error)")
    }
  }

  // MARK: News

  /// Begins to hear of new versions and users, once.
  private func follow(_ store: any TriggerStore) {
    switch phase {
    case .idle: break
    case .waiting(let task): task.cancel()
    case .following: return
    }
    let (heads, timer) = (heads(), environment.timer)
    var tasks = [
      Task { [weak self] in for await head in heads { await self?.wake(head.realm) } },
      Task { [weak self] in
        // Other processes change users, too.
        while !Task.isCancelled {
          try? await timer.sleep(timer.now() + Self.pollInterval)
          await self?.wakeUsers()
        }
      },
    ]
    if let lease = store.lease {
      let news = store.news()
      tasks += [
        Task { [weak self] in await self?.keep(lease) },
        Task { [weak self] in for await _ in news { await self?.carryOutRequests() } },
      ]
    }
    let observation = accounts.news.observe { [weak self] in Task { await self?.wakeUsers() } }
    phase = .following(tasks, observation: observation)
  }

  private func wake(_ realm: RealmID) {
    for entry in running.values {
      if case .database = entry.context.settings.kind { entry.context.queue.add(realm) }
    }
  }

  private func wakeUsers() {
    for entry in running.values {
      if case .authentication = entry.context.settings.kind {
        entry.context.queue.add(AuthenticationRun.users)
      }
    }
  }

  /// Lets triggers look for missed changes.
  private func scan(_ names: [String]) async {
    let contexts = names.compactMap { running[$0]?.context }
    var watching: [TriggerContext] = []
    for context in contexts {
      switch context.settings.kind {
      case .scheduled: break
      case .authentication: context.queue.add(AuthenticationRun.users)
      case .database: watching.append(context)
      }
    }
    guard !watching.isEmpty else { return }
    do throws(StoreError) {
      for realm in try await realms.all() {
        let head = try await realms.head(of: realm)
        for context in watching {
          let position = try await context.store.position(of: context.name, in: realm)
          if (position ?? TriggerPosition()) != TriggerPosition(head) { context.queue.add(realm) }
        }
      }
    } catch {
      environment.notice("The realms of the app cannot be read: \(error)")
      retryScan(watching.map(\.name))
    }
  }

  private func retryScan(_ names: [String]) {
    let timer = environment.timer
    Task { [weak self] in
      try? await timer.sleep(timer.now() + Self.retryInterval)
      await self?.scan(names)
    }
  }

  // MARK: Upkeep

  /// The version of a realm whose later entries triggers need; nil if none needs any.
  package func keptVersion(of realm: RealmID) async throws(StoreError) -> UInt64? {
    // The upkeep may begin before the triggers.
    guard let store = try await openedStore(isNeeded: false) else { return nil }
    let now = environment.clock.now().milliseconds
    var kept: UInt64?
    for record in try await store.records() where record.isAboutChanges {
      running[record.name]?.context.queue.stir()
      if let stopped = record.stopped, stopped.milliseconds + Self.keptMilliseconds < now {
        continue
      }
      let version = try await store.position(of: record.name, in: realm)?.version ?? 0
      kept = min(kept ?? .max, version)
    }
    return kept
  }

  /// Removes the events about users without a use for any trigger.
  private func forgetEvents() async {
    guard let store else { return }
    do throws(StoreError) {
      let names = settings.filter { if case .authentication = $0.kind { true } else { false } }
        .map(\.name)
      let numbers = try await store.records().filter { names.contains($0.name) }.map(\.number)
      guard let number = numbers.min() else { return }
      try await accounts.store.forgetEvents(through: UInt64(clamping: number))
    } catch {
      environment.notice("The events about users cannot be removed: \(error)")
    }
  }

  // MARK: For operators and tests

  /// How all triggers do, by their names.
  package func statuses() -> [TriggerStatus] {
    settings.compactMap { running[$0.name]?.context.status ?? stopped[$0.name] }
      .sorted { $0.name < $1.name }
  }

  /// Returns when all triggers on changes and users have looked at everything, or stopped.
  package func settle() async {
    await last?.value
    let names = running.keys.sorted()
    await scan(names)
    for name in names { await running[name]?.context.queue.waitUntilIdle() }
  }
}
#endif
