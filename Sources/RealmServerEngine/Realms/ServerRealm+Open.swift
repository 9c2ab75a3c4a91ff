// SPDX-License-Identifier: Apache-2.0

// Opening realms, and what is known of them without opening them.

package import RealmStorage

extension ServerRealm {
  /// Opens a realm.
  ///
  /// - Parameters:
  ///   - searchers: The threads of searches; nil for one of its own.
  ///   - isOwner: Whether the realm is this server's from then on; others are read alone.
  package static func open(
    _ name: RealmName, of store: any ServerStore, settings: Settings = Settings(),
    clock: ServerClock, salts: SaltSource = SaltSource(),
    thread: ThreadExecutor = ThreadExecutor(), searchers: ViewSearchers? = nil,
    owning isOwner: Bool = true
  ) async throws(StoreError) -> ServerRealm {
    try await open(
      name, of: store,
      in: Surroundings(
        settings: settings, clock: clock, salts: salts,
        searchers: searchers ?? ViewSearchers()), on: thread, owning: isOwner)
  }

  /// Opens a realm of a server.
  static func open(
    _ name: RealmName, of store: any ServerStore, in surroundings: Surroundings,
    on thread: ThreadExecutor, owning isOwner: Bool
  ) async throws(StoreError) -> ServerRealm {
    let (opened, head) = try await Opener(thread).open(name, of: store, owning: isOwner)
    let hasViews = surroundings.settings.recordsTouches
    return ServerRealm(
      head, of: opened, as: isOwner ? .owner : .reader, in: surroundings, on: thread,
      scratch: hasViews ? try StoreError.storing(ViewScratch()) : nil)
  }

  /// Opens realms on the thread where they will run.
  private actor Opener {
    private nonisolated let thread: ThreadExecutor

    init(_ thread: ThreadExecutor) { self.thread = thread }

    nonisolated var unownedExecutor: UnownedSerialExecutor {
      unsafe thread.asUnownedSerialExecutor()
    }

    func open(
      _ name: RealmName, of store: any ServerStore, owning isOwner: Bool
    ) async throws(StoreError) -> (any RealmStore, RealmHead) {
      let opened = try await store.open(name)
      return (opened, isOwner ? try await opened.own() : try await opened.head())
    }

    func realms(
      ofApp app: String, of store: any ServerStore
    ) async throws(StoreError) -> [RealmID] {
      try await store.realms(ofApp: app)
    }

    func peek(
      _ realm: RealmID, of store: any ServerStore
    ) async throws(StoreError) -> RealmOutline {
      try await store.peek(realm)
    }

    func exists(_ name: RealmName, of store: any ServerStore) async throws(StoreError) -> Bool {
      try await store.exists(name)
    }
  }

  /// Whether a realm was made.
  static func exists(
    _ name: RealmName, of store: any ServerStore, on thread: ThreadExecutor
  ) async throws(StoreError) -> Bool {
    try await Opener(thread).exists(name, of: store)
  }

  /// The realms of an app, whether they are open or not.
  static func realms(
    ofApp app: String, of store: any ServerStore, on thread: ThreadExecutor
  ) async throws(StoreError) -> [RealmID] {
    try await Opener(thread).realms(ofApp: app, of: store)
  }

  /// The content of a realm, open or not.
  static func peek(
    _ realm: RealmID, of store: any ServerStore, on thread: ThreadExecutor
  ) async throws(StoreError) -> RealmOutline {
    try await Opener(thread).peek(realm, of: store)
  }
}
