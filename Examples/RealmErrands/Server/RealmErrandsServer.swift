// SPDX-License-Identifier: Apache-2.0

// The server of the errands:
//
//   swift run --traits Server realm-errands-server ./errands 9091 sesame

#if Server
import Foundation
import Logging
import RealmServerKit
import ServiceLifecycle
import UnixSignals

@main
enum RealmErrandsServer {
  static func main() async throws {
    let arguments = CommandLine.arguments
    let usage = "usage: realm-errands-server FOLDER PORT WORD\n"
    if arguments.contains("--help") { return print(usage, terminator: "") }
    guard arguments.count == 4, let port = Int(arguments[2]) else {
      let words = arguments.dropFirst().joined(separator: " ")
      let text = "realm-errands-server: Name a folder, a port and a word, not '\(words)'.\n\n"
      FileHandle.standardError.write(Data((text + usage).utf8))
      exit(64)
    }
    let logger = Logger(label: "realm-errands-server")
    do {
      let server = try RealmServer(
        RealmServerConfiguration(folder: arguments[1], port: port),
        apps: [ErrandApp.definition(word: arguments[3])], logger: logger)
      try await ServiceGroup(
        services: [server], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger
      ).run()
    } catch let failure as ServerFailure {
      logger.error("\(failure)")
      exit(1)
    }
  }
}
#else
import Foundation

@main
enum RealmErrandsServer {
  static func main() {
    FileHandle.standardError.write(
      Data("Build the server with: swift run --traits Server realm-errands-server …\n".utf8))
    exit(64)
  }
}
#endif
