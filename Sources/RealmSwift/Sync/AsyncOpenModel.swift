// SPDX-License-Identifier: Apache-2.0

// `AsyncOpenModel`: opens the realm of the current user for a view, and again for each next user.

#if Sync
#if canImport(Combine) || OpenCombine
#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif
import Foundation
import RealmSession

/// The asynchronous opening that a view shows.
@MainActor final class AsyncOpenModel: ObservableObject {
  /// What happens if the data of the server cannot be had.
  enum Kind {
    /// It is an error.
    case async
    /// The realm is opened with what the device has.
    case auto
  }

  @Published private(set) var state: AsyncOpenState
  private let app: App
  private let kind: Kind
  private var configuration: Realm.Configuration?
  private var partition: AnyBSON?
  private var user: User?
  private var isBegun = false
  private var task: AsyncOpenTask?
  private var users: AnyCancellable?
  private var isCancelled = false
  /// Counts the openings: what earlier ones tell does not count any more.
  private var round = 0

  init(_ app: App, _ kind: Kind, _ configuration: Realm.Configuration?, _ partition: AnyBSON?) {
    self.app = app
    self.kind = kind
    self.configuration = configuration
    self.partition = partition
    state = app.currentUser == nil ? .waitingForUser : .connecting
  }

  /// The app of that id; without one, the only app of the program. Connections that are made later
  /// wait as long as `timeout` says.
  static func app(_ id: String?, timeout: UInt?) -> App {
    let app = id.map { App(id: $0) } ?? onlyApp()
    if let timeout {
      let options = app.syncManager.timeoutOptions
      options.connectTimeout = timeout
      app.syncManager.timeoutOptions = options
    }
    return app
  }

  private static func onlyApp() -> App {
    let cores = AppCore.all
    guard let core = cores.first else {
      throwRealmException(
        "Cannot AsyncOpen the Realm because no appId was found. You must either explicitly pass an "
          + "appId or initialize an App before displaying your View.")
    }
    if cores.count > 1 {
      throwRealmException(
        "Cannot AsyncOpen the Realm because more than one appId was found. When using multiple "
          + "Apps you must explicitly pass an appId to indicate which to use.")
    }
    return App(core)
  }

  /// Takes what the environment of the view says now; nil for nothing. It counts for openings that
  /// begin later.
  func take(_ partition: AnyBSON?, _ configuration: Realm.Configuration?) {
    if let configuration {
      self.configuration = configuration
      if let value = configuration.syncConfiguration?.partitionValue { self.partition = value }
    }
    if let partition { self.partition = partition }
  }

  /// Begins to open for the users of the app; does nothing at later calls.
  func begin() {
    guard !isBegun else { return }
    isBegun = true
    if let user = app.currentUser { open(for: user) }
    users = app.objectWillChange.sink { [weak self] _ in
      // It publishes on the main queue, after the change.
      MainActor.assumeIsolated { self?.takeUser() }
    }
  }

  /// Ends the opening, and hears of no more users.
  func cancel() {
    isCancelled = true
    users = nil
    endOpening()
  }

  /// Takes the user who is the current one now: the realm of another one is opened.
  private func takeUser() {
    guard !isCancelled else { return }
    let current = app.currentUser
    guard current != user else { return }
    guard let current else {
      endOpening()
      user = nil
      state = .waitingForUser
      return
    }
    state = .connecting
    open(for: current)
  }

  private func endOpening() {
    round += 1
    task?.cancel()
    task = nil
  }

  private func open(for user: User) {
    endOpening()
    self.user = user
    let (number, configuration) = (round, self.configuration(of: user))
    let task = Realm.asyncOpen(configuration: configuration, callbackQueue: .main) {
      [weak self] result in
      let result = UnsafeTransfer(result)
      MainActor.assumeIsolated {
        guard let self, self.round == number else { return }
        self.state = self.outcome(result.value, configuration)
      }
    }
    task.addHandler(.main) { [weak self] progress in
      MainActor.assumeIsolated {
        guard let self, self.round == number else { return }
        switch self.state {
        case .open, .error: break
        default:
          let shown = Progress(totalUnitCount: Int64(progress.transferable))
          shown.completedUnitCount = Int64(progress.transferred)
          self.state = .progress(shown)
        }
      }
    }
    self.task = task
  }

  private func outcome(
    _ result: Result<Realm, any Error>, _ configuration: Realm.Configuration
  ) -> AsyncOpenState {
    switch result {
    case .success(let realm): return .open(realm)
    case .failure(let error):
      guard kind == .auto, let realm = try? Realm(configuration: configuration) else {
        return .error(error)
      }
      return .open(realm)
    }
  }

  /// The configuration of the user's realm, with the other options of a given one.
  private func configuration(of user: User) -> Realm.Configuration {
    let own =
      if let partition {
        user.configuration(partitionValue: partition, cancelAsyncOpenOnNonFatalErrors: true)
      } else if let first = configuration?.syncConfiguration?.initialSubscriptions {
        user.flexibleSyncConfiguration(
          cancelAsyncOpenOnNonFatalErrors: true, initialSubscriptions: first.callback,
          rerunOnOpen: first.rerunOnOpen)
      } else {
        user.flexibleSyncConfiguration(cancelAsyncOpenOnNonFatalErrors: true)
      }
    guard var configuration else { return own }
    if configuration.syncConfiguration == nil {
      throwRealmException("The used configuration was not configured with sync.")
    }
    configuration.syncConfiguration = own.syncConfiguration
    return configuration
  }
}
#endif
#endif
