// SPDX-License-Identifier: Apache-2.0

// A program as a process of the system's, with what it used.

import BenchmarkSupport
import Foundation

/// Runs programs.
enum Spawned {
  /// The file of what a program says on standard error.
  static func errors(of output: URL) -> URL { output.appendingPathExtension("errors") }

  /// Runs a program to its end.
  ///
  /// - Parameters:
  ///   - input: The file of its standard input; nothing without it.
  ///   - output: The file of its standard output; that of this process, with standard input and
  ///     error, without it.
  /// - Returns: The status of its end, as the system gives it, and what it used.
  static func run(
    _ program: String, _ arguments: [String], input: URL? = nil, output: URL? = nil
  ) throws -> (status: Int32, usage: rusage) {
    #if canImport(Darwin)
    var actions: posix_spawn_file_actions_t?
    #else
    var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let output {
      let flags = O_WRONLY | O_CREAT | O_TRUNC
      posix_spawn_file_actions_addopen(&actions, 0, input?.path ?? "/dev/null", O_RDONLY, 0)
      posix_spawn_file_actions_addopen(&actions, 1, output.path, flags, 0o600)
      posix_spawn_file_actions_addopen(&actions, 2, errors(of: output).path, flags, 0o600)
    }
    var words = ([program] + arguments).map { strdup($0) } + [nil]
    var environment =
      ProcessInfo.processInfo.environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in words + environment { free(text) } }
    var process: pid_t = 0
    let code = posix_spawn(&process, program, &actions, nil, &words, &environment)
    guard code == 0 else {
      throw BenchmarkError("\(program) cannot be started: \(String(cString: strerror(code)))")
    }
    var status: Int32 = 0
    var usage = rusage()
    while wait4(process, &status, 0, &usage) < 0 {
      guard errno == EINTR else { throw BenchmarkError("waiting for \(program) failed") }
    }
    return (status, usage)
  }
}
