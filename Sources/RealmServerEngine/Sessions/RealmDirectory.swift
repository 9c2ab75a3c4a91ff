// SPDX-License-Identifier: Apache-2.0

// The realms that are open.
//
// Invariants:
// 1. A realm is opened once: a second opening would fence the first.

/// Opens realms for sessions, each once.
package actor RealmDirectory {
  /// A realm and the table in which conditions about its past are evaluated.
  package struct OpenRealm: Sendable {
    package let realm: ServerRealm
    /// Nil in realms without views.
    package let scratch: ViewScratch?
  }

  private let store: any ServerStore
  private let settings: ServerRealm.Settings
  private let clock: ServerClock
  private let salts: SaltSource
  private let threads: [ServerThread]
  private var nextThread = 0
  private var openings: [RealmName: Task<Result<OpenRealm, StoreError>, Never>] = [:]

  /// - Parameter threads: At least one, over which the realms are distributed.
  package init(
    _ store: any ServerStore, settings: ServerRealm.Settings = ServerRealm.Settings(),
    clock: ServerClock, salts: SaltSource = SaltSource(),
    threads: [ServerThread] = [ServerThread()]
  ) {
    precondition(!threads.isEmpty, "realms need a thread")
    self.store = store
    self.settings = settings
    self.clock = clock
    self.salts = salts
    self.threads = threads
  }

  /// A realm, which is opened if it is not open.
  package func open(_ name: RealmName) async throws(StoreError) -> OpenRealm {
    let opening = openings[name] ?? begin(name)
    let result = await opening.value
    // The next session tries again.
    if case .failure = result, openings[name] == opening { openings[name] = nil }
    return try result.get()
  }

  private func begin(_ name: RealmName) -> Task<Result<OpenRealm, StoreError>, Never> {
    let thread = threads[nextThread % threads.count]
    nextThread += 1
    let (store, settings, clock, salts) = (store, settings, clock, salts)
    let opening = Task { () -> Result<OpenRealm, StoreError> in
      do throws(StoreError) {
        let realm = try await ServerRealm.open(
          name, of: store, settings: settings, clock: clock, salts: salts, thread: thread)
        let scratch = settings.recordsTouches ? try ViewScratch() : nil
        return .success(OpenRealm(realm: realm, scratch: scratch))
      } catch {
        return .failure(error)
      }
    }
    openings[name] = opening
    return opening
  }
}
