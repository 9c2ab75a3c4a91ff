// SPDX-License-Identifier: Apache-2.0

// Files of one input.

#if Tools && Server
import Foundation
import RealmTestSupport

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

extension TemporaryDirectory {
  /// Writes a file, in place of an earlier one, and returns its path.
  func write(_ bytes: [UInt8], _ name: String) throws -> String {
    let path = file(name)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    guard descriptor >= 0 else { throw Finding("\(path) cannot be made: \(errno)") }
    defer { close(descriptor) }
    guard write(descriptor, bytes) == bytes.count else {
      throw Finding("\(path) cannot be written: \(errno)")
    }
    return path
  }

  private func write(_ descriptor: Int32, _ bytes: [UInt8]) -> Int {
    #if canImport(Darwin)
    Darwin.write(descriptor, bytes, bytes.count)
    #else
    Glibc.write(descriptor, bytes, bytes.count)
    #endif
  }

  /// Removes files, as far as they are there.
  func remove(_ names: String...) {
    for name in names { unlink(file(name)) }
  }

  /// The bytes of a file.
  func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: file(name))))
  }
}
#endif
