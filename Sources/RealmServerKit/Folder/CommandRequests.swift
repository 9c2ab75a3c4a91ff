// SPDX-License-Identifier: Apache-2.0

// Requests of commands to the server of a folder.
//
// They are files: a process number would be another process's in a container with the same folder,
// and the path of a socket has at most some hundred bytes. A request is given to the owner of the
// folder, who runs the server: the command may be another account's, as that of the superuser.
//
// Invariants:
// 1. The folder of the requests is there while a server runs; a killed one leaves it.
// 2. A request is removed before it is carried out. It and its answer have their names when they
//    are whole.
// 3. A command says that no server runs only where the folder's lock is free. Where a server does
//    not answer, it fails and says so.

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
    /// End the connections of users and keys that were disabled or deleted.
    case endAccess
    /// Suspend and resume triggers, as their records ask for.
    case triggers
    /// Make a user: the app and the user as JSON are the content, with a line each.
    case createUser
    /// Delete a user: the app and the id are the content, with a line each.
    case deleteUser
    /// Give a user another password: the app and the password as JSON are the content, with a line
    /// each. Answered with what else ended, as JSON.
    case setPassword
    /// Make a new key of tokens. With a content, end all logins.
    case rotateKey
    /// Tell who is connected, as JSON.
    case status
  }

  /// A request to a server.
  package struct Request: Hashable, Sendable {
    package let name: String
    package let kind: Kind
    package let content: String
  }

  /// The answer of a server.
  package struct Answer: Hashable, Sendable {
    package let isDone: Bool
    /// A line for each app.
    package let text: String
  }

  private static let answerSuffix = ".answer"
  private static let contentByteCountMax = 64 << 10
  private static let pause = Duration.milliseconds(50)
  /// Every so many pauses a command looks whether the server is there still.
  private static let probeRound = 20

  private let directory: String
  private var folder: String { directory + "/requests" }

  package init(_ directory: String) { self.directory = directory }

  // MARK: Commands

  /// Asks the server for something. Returns nil if none runs.
  ///
  /// - Parameter content: What the request is about, if its kind does not say it.
  /// - Throws: Where a server runs and does not answer.
  package func ask(
    _ kind: Kind, _ content: String = "", patience: Duration = .seconds(30)
  ) async throws(ServerFailure) -> Answer? {
    let name = "\(folder)/\(UUID().uuidString)"
    let (request, answer) = (name + "." + kind.rawValue, name + Self.answerSuffix)
    defer { for path in [request, answer] { try? FileManager.default.removeItem(atPath: path) } }
    var isAsked = false
    for round in 0..<max(1, Int(patience / Self.pause)) {
      if !isAsked {
        isAsked = try send(content, to: request)
      } else if let data = FileManager.default.contents(atPath: answer), let first = data.first {
        return Answer(
          isDone: first == UInt8(ascii: "+"),
          text: String(decoding: data.dropFirst(), as: UTF8.self))
      }
      // A server that was killed has left the folder, and no lock.
      if round % Self.probeRound == (isAsked ? Self.probeRound - 1 : 0),
        !isAsked || FileManager.default.fileExists(atPath: request),
        DirectoryLock.isFree(directory)
      {
        return nil
      }
      try? await Task.sleep(for: Self.pause)
    }
    // `CommandRequests` 3
    if DirectoryLock.isFree(directory) { return nil }
    throw Self.noAnswer(
      directory, kind, isTaken: isAsked && !FileManager.default.fileExists(atPath: request))
  }

  /// Writes a request. Returns false if there is no folder for it: a server that begins makes it.
  private func send(_ content: String, to path: String) throws(ServerFailure) -> Bool {
    guard FileManager.default.fileExists(atPath: folder) else { return false }
    do throws(StorageError) {
      try DurableFile.write(Array(content.utf8), to: path, asOwnerOf: folder)
      return true
    } catch {
      throw ServerFailure("\(path) cannot be made. Use the account that runs the server.")
    }
  }

  private static func noAnswer(
    _ directory: String, _ kind: Kind, isTaken: Bool
  ) -> ServerFailure {
    ServerFailure(
      isTaken
        ? "The server of \(directory) has taken the request '\(kind.rawValue)' and not answered "
          + "yet: it carries it out still. Its log says how it ends."
        : "The server of \(directory) has not taken the request '\(kind.rawValue)', so it has not "
          + "carried it out: it is busy, or begins or ends just now. Run the command again, with "
          + "the account that runs the server if that does not help.")
  }

  // MARK: The server

  /// Begins to take requests; earlier ones are gone.
  package func begin() {
    end()
    try? FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  package func end() { try? FileManager.default.removeItem(atPath: folder) }

  /// Takes the waiting requests. One that this account may not read is answered by that.
  func take() -> [Request] {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return files.sorted().compactMap { file in
      let parts = file.split(separator: ".").map(String.init)
      let path = "\(folder)/\(file)"
      guard parts.count == 2, let kind = Kind(rawValue: parts[1]) else { return nil }
      let content = FileManager.default.contents(atPath: path)
      guard (try? FileManager.default.removeItem(atPath: path)) != nil else { return nil }
      guard let content, content.count <= Self.contentByteCountMax else {
        answer(parts[0], Answer(isDone: false, text: Self.unreadable))
        return nil
      }
      return Request(
        name: parts[0], kind: kind, content: String(decoding: content, as: UTF8.self))
    }
  }

  private static let unreadable =
    "The server may not read the request, so it has not carried it out. Run the command with the "
    + "account that runs the server, or with that of the superuser."

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
