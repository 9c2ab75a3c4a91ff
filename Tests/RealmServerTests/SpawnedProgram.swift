// SPDX-License-Identifier: Apache-2.0

// Programs that a test starts over and over.

#if Server
import Foundation

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A program in a process of its own.
///
/// `Process` of Foundation lists the open files of this process at each start, and copies each name
/// with bytes behind it: with some thousand files that has read beyond the list, and ended the
/// tests. This one starts programs by `posix_spawn` alone.
final class SpawnedProgram {
  struct Failure: Error {
    var code: Int32
  }

  let identifier: pid_t
  /// The exit code, or -1 after a signal; nil while the program runs.
  private var code: Int32?

  /// - Parameters:
  ///   - path: The file of the program.
  ///   - output: The file for its standard output; standard error goes nowhere.
  init(_ path: String, _ arguments: [String], output: String) throws {
    #if canImport(Darwin)
    var actions: posix_spawn_file_actions_t?
    #else
    var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    for descriptor in 3..<Int32(min(sysconf(Int32(_SC_OPEN_MAX)), 8192)) {
      posix_spawn_file_actions_addclose(&actions, descriptor)
    }
    let words = ([path] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var identifier: pid_t = 0
    let failure = posix_spawn(&identifier, path, &actions, nil, words, environ)
    guard failure == 0 else { throw Failure(code: failure) }
    self.identifier = identifier
  }

  var isRunning: Bool {
    look(WNOHANG)
    return code == nil
  }

  func kill() { _ = Foundation.kill(identifier, SIGKILL) }

  /// Waits for the end. Returns the exit code, or -1 after a signal.
  @discardableResult
  func waitUntilExit() -> Int32 {
    while code == nil { look(0) }
    return code ?? -1
  }

  private func look(_ options: Int32) {
    guard code == nil else { return }
    var status: Int32 = 0
    let ended = waitpid(identifier, &status, options)
    if ended == identifier {
      code = status & 0x7F == 0 ? (status >> 8) & 0xFF : -1
    } else if ended < 0, errno != EINTR {
      code = -1
    }
  }
}
#endif
