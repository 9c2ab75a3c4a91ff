// SPDX-License-Identifier: Apache-2.0

// The list of this device, and how it meets those of other devices.

#if Sync
import Foundation
import RealmSwift

/// The shared list as this device has it.
@MainActor
final class TodoList {
  private let realm: Realm
  private let owner: String
  private let server: String
  private let patience: Double

  /// Opens the list of a device. A device that was never logged in needs the server.
  init(_ command: Command) async throws {
    server = command.server
    patience = command.patience
    let app = App(
      id: command.app, configuration: AppConfiguration(baseURL: command.server))
    let user: User
    if let known = app.currentUser {
      user = known
    } else {
      user = try await Self.logIn(app, command)
    }
    owner = user.id
    var configuration = user.flexibleSyncConfiguration(initialSubscriptions: { subscriptions in
      subscriptions.append(QuerySubscription<Todo>(name: "all_todos"))
    })
    configuration.objectTypes = [Todo.self]
    // What is here is shown at once; the server may be out of reach.
    realm = try await Realm(configuration: configuration, actor: MainActor.shared)
  }

  /// Logs a new user of this device in, who stays logged in.
  private static func logIn(_ app: App, _ command: Command) async throws -> User {
    do {
      return try await app.login(credentials: .anonymous)
    } catch let error as AppError
      where error.code == .invalidParameter || error.httpStatusCode == 404
    {
      // The address or the id is wrong, whether a server runs or not.
      throw Failure(code: Failure.usage, text: error.message)
    } catch let error as AppError {
      throw Failure(
        code: Failure.unavailable,
        text: """
          \(error.message)
          This device needs the server at \(command.server) once, to log in to the app \
          '\(command.app)'. Start it with:
            swift run --traits Server realm-server serve --dir ./data --app-id \
          \(command.app)
          """)
    }
  }

  private var todos: Results<Todo> {
    // The lines of two devices have one order on both: ids tell only the second of their creation.
    realm.objects(Todo.self).sorted(by: \.name)
  }

  // MARK: Meeting the server

  /// Waits until this device has what the server has, but not too long.
  func download() async {
    guard let session = realm.syncSession else { return }
    var isHere = true
    do {
      // The first time the server has to send what the subscription asks for.
      try await realm.objects(Todo.self)
        .subscribe(name: "all_todos", waitForSync: .always, timeout: patience)
      isHere = await isDone { try await session.wait(for: .download) }
    } catch {
      isHere = false
    }
    await realm.asyncRefresh()
    if !isHere { Terminal.note("\(reason(session)) This is what is here.") }
  }

  /// Waits until the server has what this device changed, but not too long.
  func upload() async {
    guard let session = realm.syncSession else { return }
    if await isDone({ try await session.wait(for: .upload) }) { return }
    Terminal.note("\(reason(session)) The change is saved here.")
  }

  /// Why a session does not get on, as a sentence.
  private func reason(_ session: SyncSession) -> String {
    guard let message = session.currentError?.message else {
      return "The server at \(server) has not answered in \(patience.formatted()) seconds."
    }
    return message.hasSuffix(".") ? message : message + "."
  }

  /// Whether a wait ended well in the time that the program has for it.
  private func isDone(_ wait: @escaping @Sendable () async throws -> Void) async -> Bool {
    let patience = patience
    return await withTaskGroup(of: Bool.self) { group in
      group.addTask { (try? await wait()) != nil }
      group.addTask {
        try? await Task.sleep(for: .seconds(patience))
        return false
      }
      defer { group.cancelAll() }
      return await group.next() ?? false
    }
  }

  // MARK: Showing and changing

  func show() {
    if todos.isEmpty { Terminal.line("Nothing to do.") }
    for (index, todo) in todos.enumerated() {
      Terminal.line("\(index + 1). [\(todo.isDone ? "x" : " ")] \(todo.name)")
    }
  }

  func add(_ name: String) async throws {
    try await realm.asyncWrite { realm.add(Todo(value: ["name": name, "owner": owner])) }
  }

  func finish(_ number: Int) async throws {
    let todo = try todo(number)
    try await realm.asyncWrite { todo.isDone = true }
  }

  func remove(_ number: Int) async throws {
    let todo = try todo(number)
    try await realm.asyncWrite { realm.delete(todo) }
  }

  private func todo(_ number: Int) throws -> Todo {
    guard number <= todos.count else {
      throw Failure(code: Failure.usage, text: "There is no line \(number).")
    }
    return todos[number - 1]
  }

  /// Shows the list at each change, and tells when the connection comes and goes. Does not return.
  func watch() async throws {
    let token = todos.observe { [unowned self] _ in
      Terminal.line("--")
      show()
    }
    defer { token.invalidate() }
    var wasConnected: Bool?
    while true {
      let isConnected = realm.syncSession?.connectionState == .connected
      if isConnected != wasConnected {
        let reason = realm.syncSession?.currentError?.message
        Terminal.note(
          isConnected
            ? "Connected to \(server)." : reason ?? "No connection to \(server) yet.")
        wasConnected = isConnected
      }
      try await Task.sleep(for: .seconds(1))
    }
  }
}
#endif
