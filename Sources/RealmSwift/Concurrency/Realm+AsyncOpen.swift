// SPDX-License-Identifier: Apache-2.0

// Opens a realm without blocking the actor it is for.
//
// The file is opened and its schema brought up to date on a queue of the library; only the finished
// realm comes to the actor.

import Dispatch
import RealmSession

extension Realm {
  /// The policy of waiting for a server's data before a synchronized realm is opened. Local realms
  /// have nothing to wait for.
  public enum OpenBehavior: Sendable {
    /// Opens at once with what is there.
    case never
    /// Waits each time.
    case always
    /// Waits the first time, when there is no local file yet.
    case once
  }

  /// Opens a realm for the main actor.
  ///
  /// - Parameters:
  ///   - configuration: The configuration of the realm.
  ///   - downloadBeforeOpen: When to wait for a server's data; has no effect on local realms.
  /// - Throws: `Realm.Error`, `SyncError` if the data cannot be downloaded, or `CancellationError`
  ///   if the task is cancelled.
  @MainActor
  public init(
    configuration: Configuration = .defaultConfiguration, downloadBeforeOpen: OpenBehavior = .never
  ) async throws {
    core = try await RealmCore.opened(
      configuration, for: MainActor.shared, downloadBeforeOpen)
  }

  /// Opens a realm for the actor that the caller is isolated to.
  ///
  /// ```swift
  /// actor Accounts {
  ///   private var realm: Realm!
  ///   init() async throws { realm = try await Realm(actor: self) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - configuration: The configuration of the realm.
  ///   - actor: The actor that is going to use the realm. The realm does not keep it alive.
  ///     In an initialiser of the actor pass `self`: `#isolation` has no value there.
  ///   - downloadBeforeOpen: When to wait for a server's data; has no effect on local realms.
  /// - Throws: `Realm.Error`, or `CancellationError` if the task is cancelled.
  public init(
    configuration: Configuration = .defaultConfiguration, actor: isolated any Actor,
    downloadBeforeOpen: OpenBehavior = .never
  ) async throws {
    core = try await RealmCore.opened(configuration, for: actor, downloadBeforeOpen)
  }

  /// Opens a realm for the actor that the caller is isolated to.
  ///
  /// - Throws: `Realm.Error`, or `CancellationError` if the task is cancelled.
  public static func open(
    configuration: Configuration = .defaultConfiguration,
    _isolation actor: isolated any Actor = #isolation, downloadBeforeOpen: OpenBehavior = .never
  ) async throws -> Realm {
    Realm(core: try await RealmCore.opened(configuration, for: actor, downloadBeforeOpen))
  }
}

extension RealmCore {
  // Blocks here may wait for the file; serial queues get a thread however many others do.
  static let openingQueue = DispatchQueue(label: "OpenRealm opening")

  /// The core of `configuration` for an actor; a new one is opened elsewhere.
  static func opened(
    _ configuration: Realm.Configuration, for actor: isolated any Actor,
    _ behavior: Realm.OpenBehavior = .never
  ) async throws -> RealmCore {
    try Task.checkCancellation()
    let confinement = Confinement.actor(actor)
    let living = try RealmCache.livingCore(configuration, confinement)
    if let living, behavior != .always || !configuration.isSynchronised { return living }
    // The file stays open, and its session with it, until the realm is.
    let download = try await configuration.synchronisation?.download(
      configuration, behavior, reporting: nil)
    defer { withExtendedLifetime(download) {} }
    if let core = try RealmCache.livingCore(configuration, confinement) {
      _ = try core.refresh()
      return core
    }
    let opened = OpenedCore()
    await withCheckedContinuation { continuation in
      openingQueue.async {
        opened.open(configuration, for: confinement)
        continuation.resume()
      }
    }
    let result = opened.take()
    try Task.checkCancellation()
    // Another task of the actor may have opened the realm meanwhile.
    if let core = try RealmCache.livingCore(configuration, confinement) { return core }
    return try RealmCache.add(result.get())
  }
}
