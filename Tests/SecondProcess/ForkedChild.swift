// SPDX-License-Identifier: Apache-2.0

// Children of the second process that run its program on, which Swift does not offer.

import Foundation
@_spi(RealmTesting) import RealmSwift

/// A process that was forked without exec.
enum ForkedChild {
  private struct Failure: Error {}

  /// What `body` answers in a child, or what it is refused with.
  static func outcome(_ body: () throws -> String) throws -> String {
    var ends: [CInt] = [0, 0]
    guard pipe(&ends) == 0 else { throw Failure() }
    let (reading, writing) = (ends[0], ends[1])
    let child = fork()
    guard child >= 0 else { throw Failure() }
    if child == 0 {
      _RealmTesting.trapHook = { end(saying: $0, to: writing) }
      do { end(saying: try body(), to: writing) } catch { end(saying: "\(error)", to: writing) }
    }
    close(writing)
    let said = FileHandle(fileDescriptor: reading, closeOnDealloc: true).readDataToEndOfFile()
    waitpid(child, nil, 0)
    return said.isEmpty ? "silence" : String(decoding: said, as: UTF8.self)
  }

  /// Starts a child that does nothing for a while; its number.
  static func hold() throws -> String {
    let child = fork()
    guard child >= 0 else { throw Failure() }
    guard child == 0 else { return "\(child)" }
    // A process that waits for the end of the parent waits for the end of its pipes.
    for descriptor: CInt in 0..<256 { close(descriptor) }
    for _ in 0..<300 { sleep(1) }
    _exit(0)
  }

  private static func end(saying text: String, to descriptor: CInt) -> Never {
    let bytes = Array(text.utf8)
    _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    _exit(0)
  }

  private static func fork() -> pid_t {
    #if canImport(Darwin)
    let everywhere = UnsafeMutableRawPointer(bitPattern: -2)
    #else
    let everywhere: UnsafeMutableRawPointer? = nil
    #endif
    guard let address = dlsym(everywhere, "fork") else { return -1 }
    return unsafeBitCast(address, to: (@convention(c) () -> pid_t).self)()
  }
}
