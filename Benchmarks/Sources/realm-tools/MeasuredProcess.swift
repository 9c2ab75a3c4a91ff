// SPDX-License-Identifier: Apache-2.0

// A program that is run to its end, with its time and its memory.

import BenchmarkSupport
import Foundation

/// The cost of a process.
struct MeasuredProcess {
  let seconds: Double
  /// The most memory that the process had in use at a time.
  let peakByteCount: Int

  /// Runs a program, and waits for its end.
  ///
  /// - Parameters:
  ///   - input: The file that it reads on standard input; nothing without it.
  ///   - output: The file that its standard output goes to.
  /// - Throws: `BenchmarkError` if it does not end with 0.
  init(
    _ program: String, _ arguments: [String], input: URL? = nil, output: URL
  ) throws {
    #if canImport(Darwin)
    var actions: posix_spawn_file_actions_t?
    #else
    var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    let errors = output.appendingPathExtension("errors")
    let flags = O_WRONLY | O_CREAT | O_TRUNC
    posix_spawn_file_actions_addopen(&actions, 0, input?.path ?? "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output.path, flags, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, errors.path, flags, 0o600)
    var words = ([program] + arguments).map { strdup($0) } + [nil]
    var environment =
      ProcessInfo.processInfo.environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in words + environment { free(text) } }
    var process: pid_t = 0
    var status: Int32 = 0
    var usage = rusage()
    let start = ContinuousClock.now
    let code = posix_spawn(&process, program, &actions, nil, &words, &environment)
    guard code == 0 else {
      throw BenchmarkError("\(program) cannot be started: \(String(cString: strerror(code)))")
    }
    while wait4(process, &status, 0, &usage) < 0 {
      guard errno == EINTR else { throw BenchmarkError("waiting for \(program) failed") }
    }
    seconds = (ContinuousClock.now - start) / .seconds(1)
    // The upper byte is the exit code, the lower bits the signal.
    guard status == 0 else {
      let message = (try? String(contentsOf: errors, encoding: .utf8)) ?? ""
      let command = ([program] + arguments).joined(separator: " ")
      throw BenchmarkError("\(command) ended with \(status >> 8 & 0xFF) (\(status)): \(message)")
    }
    #if canImport(Darwin)
    peakByteCount = Int(usage.ru_maxrss)
    #else
    peakByteCount = Int(usage.ru_maxrss) * 1024
    #endif
  }
}
