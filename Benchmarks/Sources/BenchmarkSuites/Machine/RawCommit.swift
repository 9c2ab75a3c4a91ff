// SPDX-License-Identifier: Apache-2.0

// What the disk itself asks for the durability of a commit, in one step or in two.

import BenchmarkSupport
import Foundation

/// Writes what a small commit writes (16 KiB in one piece, then eight bytes of a header), and syncs
/// after each, or once. Nothing can commit to this disk in as many syncs and be faster.
enum RawCommit: String, CaseIterable {
  case oneSync = "one sync"
  case twoSyncs = "two syncs"

  /// The seconds that `count` commits take.
  func measure(folder: URL, count: Int) throws -> Double {
    let path = folder.appending(path: "raw-commits").path
    let file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o644)
    guard file >= 0 else { throw BenchmarkError("cannot open \(path)") }
    defer {
      close(file)
      unlink(path)
    }
    let extentBytes = 16 << 10
    let extents = 256
    let zeros = [UInt8](repeating: 0, count: extentBytes)
    for index in 0...extents {
      guard pwrite(file, zeros, extentBytes, off_t(index * extentBytes)) == extentBytes else {
        throw BenchmarkError("cannot write \(path)")
      }
    }
    guard fsync(file) == 0 else { throw BenchmarkError("cannot sync \(path)") }
    var content = zeros
    let clock = ContinuousClock()
    let time = try clock.measure {
      for index in 0..<count {
        content[index % extentBytes] &+= 1
        let offset = off_t((1 + index % extents) * extentBytes)
        guard pwrite(file, content, extentBytes, offset) == extentBytes,
          self == .oneSync || fdatasync(file) == 0, pwrite(file, content, 8, 0) == 8,
          fdatasync(file) == 0
        else { throw BenchmarkError("cannot write \(path)") }
      }
    }
    return time / .seconds(1)
  }
}
