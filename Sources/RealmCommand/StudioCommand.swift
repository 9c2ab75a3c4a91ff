// SPDX-License-Identifier: Apache-2.0

// The page in the browser.

#if Tools
import ArgumentParser
import RealmStudio
import RealmTools

/// The command `realm studio`.
struct StudioCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "studio",
    abstract: "Shows files in the browser, until stopped.",
    discussion: """
      The page is served to this machine alone, at an address with a random token, and cannot \
      change the files without --write.

      Example: realm studio dogs.realm
      """)

  @Argument(help: "The realm files.", completion: .file(extensions: ["realm"]))
  var files: [String]
  @OptionGroup var encryption: KeyOptions
  @Flag(help: "Let the page edit objects.")
  var write = false
  @Option(help: "The port on 127.0.0.1; 0 for any that is free.")
  var port = 0

  func validate() throws {
    guard (0...65_535).contains(port) else {
      throw ValidationError("--port must be a number from 0 to 65535.")
    }
    if files.isEmpty { throw ValidationError("Give at least one file.") }
  }

  func run() async throws {
    do {
      let key = try encryption.key()
      let studio = StudioServer(
        StudioOptions(
          files: files.map { StudioFile(path: $0, encryptionKey: key) }, isWritable: write,
          port: port))
      try await studio.run { address in
        let sink = ByteSink(descriptor: 1)
        // Nothing can be done if the terminal is gone; the page is served all the same.
        try? sink.writeLine(address)
        try? sink.flush()
      }
    } catch let failure as StudioFailure {
      Terminal.complain(failure.description)
      throw ExitCode(status(of: failure).rawValue)
    } catch {
      let failure = ToolFailure(error)
      Terminal.complain(failure.message)
      throw ExitCode(failure.status.rawValue)
    }
  }

  private func status(of failure: StudioFailure) -> ExitStatus {
    switch failure.status {
    case 404: .noInput
    case 403, 409: failure.message.contains("port") ? .cannotCreate : .badData
    default: .badData
    }
  }
}
#endif
