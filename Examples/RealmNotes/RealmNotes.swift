// SPDX-License-Identifier: Apache-2.0

// A web service over a realm: notes by REST, with live updates.
//
//   swift run --traits Tools realm-notes ./notes.realm 8080
//   curl -d '{"text": "Water the plants"}' http://127.0.0.1:8080/notes
//   curl -N http://127.0.0.1:8080/notes/events

#if Tools
import Foundation
import Hummingbird
import NIOCore
import RealmMetrics

@main
enum RealmNotes {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    if arguments.contains("--help") { return print(NoteOptions.usage) }
    guard let options = NoteOptions(arguments) else {
      let words = arguments.joined(separator: " ")
      let text = "realm-notes: Name a file and a port, not '\(words)'.\n\n\(NoteOptions.usage)\n"
      FileHandle.standardError.write(Data(text.utf8))
      exit(64)
    }
    // Metrics and traces go where the program bootstraps them; without that, nowhere.
    let metrics = RealmMetrics.start()
    defer { metrics.stop() }
    let store = try await NoteStore(URL(fileURLWithPath: options.path))
    try await application(store, host: options.host, port: options.port).runService()
  }

  /// The service.
  ///
  /// - Parameters:
  ///   - host: The address that it listens on; other machines reach it only if this one says so.
  ///   - onStart: Called with the port when requests are accepted.
  static func application(
    _ store: NoteStore, host: String = NoteOptions.loopback, port: Int,
    onStart: @escaping @Sendable (Int) -> Void = { _ in }
  ) -> some ApplicationProtocol {
    Application(
      router: NoteRoutes.router(store),
      configuration: ApplicationConfiguration(address: .hostname(host, port: port)),
      onServerRunning: { channel in onStart(channel.localAddress?.port ?? port) })
  }
}
#else
@main
enum RealmNotes {
  static func main() {
    print("Start it with: swift run --traits Tools realm-notes ./notes.realm 8080")
  }
}
#endif
