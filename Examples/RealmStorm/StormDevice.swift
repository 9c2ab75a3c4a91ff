// SPDX-License-Identifier: Apache-2.0

// The life of a device: it writes at random, prints what happens as lines, and answers requests
// on its standard input until that ends.

#if Server
import Foundation
import RealmSwift
import RealmSync

/// A device with its realms.
@MainActor
final class StormDevice {
  nonisolated static let partitions = ["drops", "board"]

  private let command: DeviceCommand
  private let app: App
  private var random: StormGenerator
  private var userID = ""
  /// One for each partition, or the one of flexible sync.
  private var realms: [Realm] = []
  private var tokens: [NotificationToken] = []
  private var isWriting: Bool
  /// Whether it has a fault on purpose, and meets the server no more.
  private var isApart = false
  private var madeCount = 0
  private var markCount = 0
  /// The objects that this process made in the first realm, in order.
  private var written: [String] = []
  private var acknowledgedCount = 0
  /// Objects of others that have arrived.
  private var seen: Set<String> = []
  private let start = StormClock.now

  init(_ command: DeviceCommand) {
    self.command = command
    random = StormGenerator(seed: command.seed)
    isWriting = !command.reader
    DeviceClock.offset = command.clock
    let configuration = AppConfiguration(baseURL: command.address)
    configuration.directory = command.dir
    app = App(id: StormRules.app, configuration: configuration)
    app.syncManager.errorHandler = { [name = command.name] error, _ in
      Self.report(error, by: name)
    }
  }

  func run() async throws {
    Logger.shared.level = .info
    let requests = Self.requests()
    let user = await untilItWorks { try await self.logIn() }
    userID = user.id
    Task { await self.stayLoggedIn() }
    for configuration in configurations(user) {
      realms.append(
        await untilItWorks {
          try await Realm(
            configuration: configuration, actor: MainActor.shared, downloadBeforeOpen: .once)
        })
    }
    tokens = realms.map { realm in
      realm.objects(Drop.self).observe { [unowned self] change in
        if case .update(let drops, _, let insertions, _) = change {
          for index in insertions { arrive(drops[index]) }
        }
      }
    }
    try makeTally()
    Terminal.line("ready \(userID)")
    Task { await self.acknowledge() }
    Task { await self.write() }
    for await request in requests { try await answer(request) }
  }

  /// Logs the user in again when the server has ended the session: its clock has jumped.
  private func stayLoggedIn() async {
    while true {
      if app.currentUser == nil {
        _ = await untilItWorks { try await self.logIn() }
        Terminal.line("login")
      }
      try? await Task.sleep(for: .milliseconds(100))
    }
  }

  /// Tries again while the server is out of reach.
  private func untilItWorks<Value>(_ work: @MainActor () async throws -> Value) async -> Value {
    while true {
      do { return try await work() } catch {
        Terminal.line("error at the start: \(error.localizedDescription)")
        try? await Task.sleep(for: .milliseconds(300))
      }
    }
  }

  private func logIn() async throws -> User {
    if let known = app.currentUser { return known }
    let (email, password) = ("\(command.name)@example.org", "password")
    // It fails if another life of the device has registered the user.
    try? await app.emailPasswordAuth.registerUser(email: email, password: password)
    return try await app.login(credentials: .emailPassword(email: email, password: password))
  }

  private func configurations(_ user: User) -> [Realm.Configuration] {
    let reset = ClientResetMode.recoverUnsyncedChanges(afterReset: { _, _ in
      Terminal.line("reset")
    })
    var configurations =
      switch command.mode {
      case .partition:
        Self.partitions.map { user.configuration(partitionValue: $0, clientResetMode: reset) }
      case .flexible:
        [
          user.flexibleSyncConfiguration(
            clientResetMode: reset,
            initialSubscriptions: { subscriptions in
              subscriptions.append(QuerySubscription<Drop>(name: "all"))
              subscriptions.append(QuerySubscription<Tally>(name: "tally"))
            })
        ]
      }
    for index in configurations.indices {
      configurations[index].objectTypes = [Drop.self, Tally.self]
    }
    return configurations
  }

  nonisolated private static func report(_ error: any Error, by name: String) {
    guard let error = error as? SyncError else {
      return Terminal.line("error \(error.localizedDescription)")
    }
    switch error.code {
    case .writeRejected:
      for info in error.compensatingWriteInfo ?? [] {
        Terminal.line("refused \(info.primaryKey.stringValue ?? "")")
      }
    case .clientResetError:
      // A device that expires again before its reset is over takes that for a cycle, and puts its
      // file aside. Resets have no other reason to fail here.
      let isCycle = error.message.contains("to prevent a cycle")
      Terminal.line(
        isCycle ? "aside \(name) \(StormClock.now)" : "failure A reset fails: \(error.message)")
      exit(0)
    default: Terminal.line("error \(error.message)")
    }
  }

  // MARK: Writing

  private func write() async {
    while true {
      if isWriting {
        do { try await step() } catch { Terminal.line("error \(error.localizedDescription)") }
      }
      try? await Task.sleep(for: .milliseconds(Int.random(in: 20...200, using: &random)))
    }
  }

  private func step() async throws {
    switch Int.random(in: 0..<11, using: &random) {
    case 0..<5: try insert()
    case 5..<8: try change()
    case 8: try delete()
    case 9: try mark()
    default:
      let session = realms.randomElement(using: &random)?.syncSession
      session?.suspend()
      try await Task.sleep(for: .milliseconds(Int.random(in: 0...1_000, using: &random)))
      if !isApart { session?.resume() }
    }
  }

  private func insert() throws {
    let index = Int.random(in: 0..<4, using: &random) == 0 ? realms.count - 1 : 0
    let key = "\(command.name).\(command.life).\(madeCount).\(index)"
    madeCount += 1
    let drop = Drop(value: ["_id": key, "owner": userID, "text": key])
    drop.isPublic = Bool.random(using: &random)
    drop.stamp = StormClock.now
    try realms[index].write { realms[index].add(drop, update: .modified) }
    if index == 0 {
      Terminal.line("commit \(key) \(StormClock.now)")
      written.append(key)
    } else {
      Terminal.line("commit")
    }
  }

  private func change() throws {
    guard let realm = realms.randomElement(using: &random),
      let drop = realm.objects(Drop.self).randomElement(using: &random)
    else { return }
    try realm.write {
      // The transaction begins with the newest version.
      guard !drop.isInvalidated else { return }
      switch Int.random(in: 0..<3, using: &random) {
      case 0: drop.text = "\(command.name) \(Int.random(in: 0..<1_000, using: &random))"
      case 1: drop.count += 1
      default:
        drop.tags.insert(command.name, at: Int.random(in: 0...drop.tags.count, using: &random))
      }
    }
    Terminal.line("commit")
  }

  private func delete() throws {
    let own = realms[0].objects(Drop.self).where { $0.owner == userID }
    guard let drop = own.randomElement(using: &random) else { return }
    Terminal.line("deleting \(drop._id)")
    try realms[0].write {
      if !drop.isInvalidated { realms[0].delete(drop) }
    }
    Terminal.line("commit")
  }

  /// Makes the tally. One device does so: what another one has marked in an object of its own would
  /// be gone when both are merged.
  private func makeTally() throws {
    guard command.name == "device0", !command.reader, tally == nil else { return }
    try realms[0].write { realms[0].add(Tally(value: ["_id": Tally.key])) }
  }

  private var tally: Tally? { realms[0].object(ofType: Tally.self, forPrimaryKey: Tally.key) }

  private func mark() throws {
    guard tally != nil else { return }
    let mark = "\(command.name).\(command.life).\(markCount)"
    markCount += 1
    Terminal.line("marking \(mark)")
    try realms[0].write {
      guard let tally else { throw MissingTally() }
      tally.marks.append(mark)
    }
    Terminal.line("marked \(mark)")
  }

  /// A reset has taken the tally away: the mark is not made.
  private struct MissingTally: Error {}

  /// Prints which objects the server has.
  private func acknowledge() async {
    while true {
      let count = written.count
      if count > acknowledgedCount, let session = realms[0].syncSession,
        (try? await session.wait(for: .upload)) != nil
      {
        await realms[0].asyncRefresh()
        for key in written[acknowledgedCount..<count] where has(key) {
          Terminal.line("acknowledged \(key) \(StormClock.now)")
        }
        acknowledgedCount = count
      }
      try? await Task.sleep(for: .milliseconds(20))
    }
  }

  /// Whether an object is here. A reset may have taken it away since it was uploaded, because the
  /// server is an older one.
  private func has(_ key: String) -> Bool {
    realms[0].object(ofType: Drop.self, forPrimaryKey: key) != nil
  }

  private func arrive(_ drop: Drop) {
    guard drop.owner != userID, drop.stamp > start, seen.insert(drop._id).inserted else { return }
    Terminal.line("arrived \(StormClock.now - drop.stamp)")
  }

  // MARK: Requests

  /// The lines of the standard input, without those about the clock. The process ends with it,
  /// wherever it is: the storm has ended then.
  nonisolated private static func requests() -> AsyncStream<String> {
    AsyncStream { continuation in
      Thread.detachNewThread {
        while let line = readLine() {
          if line.hasPrefix("clock "), let offset = Int64(line.dropFirst(6)) {
            DeviceClock.offset = offset
          } else {
            continuation.yield(line)
          }
        }
        _exit(0)
      }
    }
  }

  private func answer(_ request: String) async throws {
    switch request {
    case "digest":
      isWriting = false
      if !isApart { await meet() }
      var digest = Digest()
      for line in content() { digest.add(line) }
      Terminal.line("digest \(digest.text)")
    case "keys":
      Terminal.line("keys \(realms[0].objects(Drop.self).map(\._id).joined(separator: ","))")
    case "marks":
      Terminal.line("marks \((tally?.marks).map { Array($0) }?.joined(separator: ",") ?? "")")
    case "content":
      let path = command.dir + ".content.txt"
      let text = content().map { $0 + "\n" }.joined()
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      let states = realms.map { realm in
        guard let session = realm.syncSession else { return "no session" }
        return "\(session.state) \(session.connectionState)"
      }
      Terminal.line("state \(states)")
      Terminal.line("content \(path)")
    case "spoil \(SpoilKind.differs)":
      suspend()
      try realms[0].write {
        if let drop = realms[0].objects(Drop.self).first { drop.text = "spoilt" }
      }
    case "spoil \(SpoilKind.stuck)":
      suspend()
      while true { try? await Task.sleep(for: .seconds(3_600)) }
    case "spoil \(SpoilKind.lost)":
      Terminal.line("acknowledged \(command.name).lost \(StormClock.now)")
    case "spoil \(SpoilKind.late)":
      Terminal.line("commit \(command.name).late \(start)")
      Terminal.line("acknowledged \(command.name).late \(StormClock.now)")
    case "spoil \(SpoilKind.twice)":
      try realms[0].write {
        if let tally, let mark = tally.marks.first { tally.marks.append(mark) }
      }
    default: break
    }
  }

  private func suspend() {
    isWriting = false
    isApart = true
    for realm in realms { realm.syncSession?.suspend() }
  }

  /// Waits until the server has what this device has, and the other way round.
  private func meet() async {
    for realm in realms {
      realm.syncSession?.resume()
      do {
        try await realm.syncSession?.wait(for: .upload)
        try await realm.syncSession?.wait(for: .download)
      } catch { Terminal.line("error \(error.localizedDescription)") }
      await realm.asyncRefresh()
    }
  }

  /// What is here, an object a line.
  private func content() -> [String] {
    [(tally?.marks).map { "tally " + $0.joined(separator: ",") } ?? "no tally"]
      + realms.enumerated().flatMap { index, realm in
        realm.objects(Drop.self).sorted(byKeyPath: "_id").map { drop in
          let tags = drop.tags.joined(separator: ",")
          return "\(index) \(drop._id) \(drop.owner) \(drop.isPublic) \(drop.text) \(drop.count) "
            + "\(tags) \(drop.stamp)"
        }
      }
  }
}
#endif
