// SPDX-License-Identifier: Apache-2.0

// The streams and signals of a program that is about to start.

import Foundation

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Says what a new process has: three streams, no other open file, and every signal as by default.
struct SpawnSetup {
  #if canImport(Darwin)
  private var actions: posix_spawn_file_actions_t?
  private var attributes: posix_spawnattr_t?
  #else
  private var actions = unsafe posix_spawn_file_actions_t()
  private var attributes = posix_spawnattr_t()
  #endif
  /// The ends of pipes that the new process has.
  private var ends: [Int32] = []

  init() {
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawnattr_init(&attributes)
  }

  /// Closes what the new process has and this one does not need.
  mutating func end() {
    for descriptor in ends { close(descriptor) }
    unsafe posix_spawn_file_actions_destroy(&actions)
    unsafe posix_spawnattr_destroy(&attributes)
  }

  /// Sets the standard stream with a number. Returns this program's end of a pipe.
  mutating func set(_ number: Int32, _ stream: SpawnedProgram.Stream) throws -> FileHandle? {
    let isInput = number == 0
    switch stream {
    case .inherited:
      #if canImport(Darwin)
      unsafe posix_spawn_file_actions_addinherit_np(&actions, number)
      #endif
    case .null: open("/dev/null", isInput ? O_RDONLY : O_WRONLY, number)
    case .file(let path):
      open(path, isInput ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC, number)
    case .descriptor(let descriptor):
      unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, number)
    case .pipe:
      var pair: [Int32] = [-1, -1]
      guard unsafe pipe(&pair) == 0 else { throw SpawnedProgram.Failure(code: errno) }
      for descriptor in pair { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
      ends.append(pair[isInput ? 0 : 1])
      unsafe posix_spawn_file_actions_adddup2(&actions, pair[isInput ? 0 : 1], number)
      return FileHandle(fileDescriptor: pair[isInput ? 1 : 0], closeOnDealloc: true)
    }
    return nil
  }

  private mutating func open(_ path: String, _ flags: Int32, _ number: Int32) {
    unsafe posix_spawn_file_actions_addopen(&actions, number, path, flags, 0o644)
  }

  /// Starts a program. Returns the number of its process.
  ///
  /// - Parameters:
  ///   - words: The program's file and its arguments.
  ///   - variables: The whole environment, a `name=value` each.
  mutating func start(_ words: [String], _ variables: [String]) throws -> pid_t {
    var all = sigset_t()
    var none = sigset_t()
    unsafe sigfillset(&all)
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigdefault(&attributes, &all)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    var flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
    #if canImport(Darwin)
    flags |= POSIX_SPAWN_CLOEXEC_DEFAULT
    #else
    // Files that were opened without the flag close-on-exec would be open in the program, too.
    for descriptor in 3..<Int32(min(sysconf(Int32(_SC_OPEN_MAX)), 8_192)) {
      unsafe posix_spawn_file_actions_addclose(&actions, descriptor)
    }
    #endif
    unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
    let arguments = unsafe words.map { unsafe strdup($0) } + [nil]
    let environment = unsafe variables.map { unsafe strdup($0) } + [nil]
    defer { unsafe (arguments + environment).forEach { unsafe free($0) } }
    var identifier: pid_t = 0
    let code = unsafe posix_spawn(
      &identifier, words[0], &actions, &attributes, arguments, environment)
    guard code == 0 else { throw SpawnedProgram.Failure(code: code) }
    return identifier
  }
}
