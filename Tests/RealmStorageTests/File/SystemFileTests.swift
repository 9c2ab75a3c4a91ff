// SPDX-License-Identifier: Apache-2.0

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

struct SystemFileTests {
  /// A child process that is being started has copies of all descriptors for a while.
  @Test func locksEndWithTheFileWhoeverHasACopyOfItsDescriptor() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/locked"
    let descriptor = open(path, O_RDWR | O_CREAT, 0o600)
    let copy = dup(descriptor)
    try #require(descriptor >= 0 && copy >= 0)
    defer { close(copy) }
    var file: SystemFile? = try SystemFile(path: path, descriptor: descriptor)
    let other = try SystemFiles().open(path: path, mode: .readWrite)
    try expectEqual(file?.tryLock(exclusive: true), true)
    #expect(try !other.tryLock(exclusive: true))
    file = nil
    #expect(try other.tryLock(exclusive: true))
  }
}
