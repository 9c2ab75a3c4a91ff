// SPDX-License-Identifier: Apache-2.0

// Requests of commands to the server of a folder.
//
// They are files: a process number would be another process's in a container with the same folder.
//
// Invariants:
// 1. The folder of the requests is there while a server runs; a killed one leaves it.
// 2. A request is removed before it is carried out, and its answer has its name when it is whole.

#if Server
import Foundation
import RealmStorage

/// The requests to a server, as files in a folder.
package struct CommandRequests: Sendable {
  /// A kind of requests.
  package enum Kind: String, CaseIterable {
    /// Apply the files of all apps.
    case apply
    /// Ask the rules about all sessions: something about their users has changed.
    case recheck
    /// End the connections of users who were disabled.
    case endAccess
    /// Suspend and resume triggers, as their records ask for.
    case triggers
  }

  /// The answer of a server.
  package struct Answer: Hashable, Sendable {
    package let isDone: Bool
    /// A line for each app.
    package let text: String
  }

  private static let answerSuffix = ".answer"
  private static let pause = Duration.milliseconds(50)

  private let folder: String

  package init(_ directory: String) { folder = directory + "/requests" }

  // MARK: Commands

  /// Asks the server for something. Returns nil if none answers.
  package func ask(
    _ kind: Kind, patience: Duration = .seconds(30)
  ) async throws(ServerFailure) -> Answer? {
    guard FileManager.default.fileExists(atPath: folder) else { return nil }
    let name = "\(folder)/\(UUID().uuidString)"
    let (request, answer) = (name + "." + kind.rawValue, name + Self.answerSuffix)
    guard FileManager.default.createFile(atPath: request, contents: nil) else {
      throw ServerFailure("\(request) cannot be made. Use the account that runs the server.")
    }
    defer { for path in [request, answer] { try? FileManager.default.removeItem(atPath: path) } }
    for _ in 0..<Int(patience / Self.pause) {
      if let data = FileManager.default.contents(atPath: answer), let first = data.first {
        return Answer(
          isDone: first == UInt8(ascii: "+"),
          text: String(decoding: data.dropFirst(), as: UTF8.self))
      }
      try? await Task.sleep(for: Self.pause)
    }
    return nil
  }

  // MARK: The server

  /// Begins to take requests; earlier ones are gone.
  package func begin() {
    end()
    try? FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  package func end() { try? FileManager.default.removeItem(atPath: folder) }

  /// Takes the waiting requests, with their names.
  package func take() -> [(name: String, kind: Kind)] {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return files.sorted().compactMap { file in
      let parts = file.split(separator: ".").map(String.init)
      guard parts.count == 2, let kind = Kind(rawValue: parts[1]),
        (try? FileManager.default.removeItem(atPath: "\(folder)/\(file)")) != nil
      else { return nil }
      return (parts[0], kind)
    }
  }

  /// Answers a request.
  package func answer(_ request: String, _ answer: Answer) {
    let name = request + Self.answerSuffix
    let text = (answer.isDone ? "+" : "-") + answer.text
    do throws(StorageError) {
      try DurableFile.write(Array(text.utf8), to: "\(folder)/\(name)")
    } catch {
      // The command waits in vain; the log has the outcome.
    }
  }
}
#endif
