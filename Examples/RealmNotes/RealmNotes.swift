// SPDX-License-Identifier: Apache-2.0

// A web service over a realm: notes by REST, with live updates.
//
//   swift run --traits default,Tools realm-notes ./notes.realm 8080
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
    let arguments = CommandLine.arguments
    guard arguments.count == 3, let port = Int(arguments[2]) else {
      print("usage: realm-notes FILE PORT")
      exit(64)
    }
    // Metrics and traces go where the program bootstraps them; without that, nowhere.
    let metrics = RealmMetrics.start()
    defer { metrics.stop() }
    let store = try await NoteStore(URL(fileURLWithPath: arguments[1]))
    try await application(store, port: port).runService()
  }

  /// The service.
  ///
  /// - Parameter onStart: Called with the port when requests are accepted.
  static func application(
    _ store: NoteStore, host: String = "0.0.0.0", port: Int,
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
    print("Start it with: swift run --traits default,Tools realm-notes ./notes.realm 8080")
  }
}
#endif
