// SPDX-License-Identifier: Apache-2.0

// Two processes with one file under two names: they cooperate where both names are one in the end,
// and else the second is refused. Nothing that was acknowledged is lost.

import Foundation
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage
@testable import RealmSwift

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

@Suite(.timeLimit(.minutes(10))) struct OtherNameProcessTests {
  enum Name: CaseIterable, Sendable { case symbolicLink, hardLink, mountOfTheFile, deletedLockFile }
  enum Writer: CaseIterable, Sendable { case fast, slow }

  private let directory: TemporaryDirectory
  private let path: String
  private let other: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.file("a.realm")
    other = directory.file("other.realm")
  }

  /// The second name of the file; nil where the system does not allow it.
  private func secondName(_ name: Name) throws -> String? {
    switch name {
    case .symbolicLink: return symlink("a.realm", other) == 0 ? other : nil
    case .hardLink: return link(path, other) == 0 ? other : nil
    case .mountOfTheFile:
      #if os(Linux)
      guard FileManager.default.createFile(atPath: other, contents: nil) else { return nil }
      return mount(path, other, nil, UInt(MS_BIND), nil) == 0 ? other : nil
      #else
      return nil
      #endif
    case .deletedLockFile: return unlink(path + ".lock") == 0 ? path : nil
    }
  }

  private func file(_ path: String, _ isEncrypted: Bool) throws -> DatabaseFile {
    let key = isEncrypted ? EncryptionKey([UInt8](repeating: 7, count: 64)) : nil
    return try DatabaseFile.open(
      path: path, options: OpenOptions(encryptionKey: key), system: SystemFiles(),
      registry: FileRegistry())
  }

  @Test(
    arguments: [Name.symbolicLink, .hardLink, .mountOfTheFile, .deletedLockFile],
    [(false, Writer.fast), (false, .slow), (true, .fast), (true, .slow)])
  func twoProcessesWithTwoNames(
    _ name: Name, _ kind: (isEncrypted: Bool, writer: Writer)
  ) async throws {
    let (isEncrypted, writer) = kind
    func open(_ path: String) -> String {
      isEncrypted ? "open-encrypted 7 \(path)" : "open \(path)"
    }
    let first = try OtherProcess()
    try await expectEqual(first.ask(open(path)), "ok")
    try await expectEqual(first.ask("add 1 0"), "ok")
    guard let second = try secondName(name) else { return }
    #if os(Linux)
    defer { if name == .mountOfTheFile { umount(other) } }
    #endif
    // The writer is in a transaction while the other process comes, or commits all the time.
    try await expectEqual(first.ask(writer == .slow ? "begin 1" : "increment 1 20"), "ok")
    var acknowledged = writer == .slow ? 0 : 20
    let process = try OtherProcess()
    let answer = try await process.ask(open(second))
    if writer == .slow { try await expectEqual(first.ask("set 1 0"), "ok") }
    if name == .symbolicLink {
      expectEqual(answer, "ok")
      async let one = first.ask("increment 1 30")
      async let two = process.ask("increment 1 30")
      try await expectEqual([one, two], ["ok", "ok"])
      acknowledged += 60
      try await expectEqual(process.ask("value 1"), "\(acknowledged)")
    } else {
      expectTrue(answer.hasPrefix("error"))
      expectTrue(answer.contains(second) && answer.contains("another path"))
      try await expectEqual(first.ask("increment 1 30"), "ok")
      acknowledged += 30
    }
    try await expectEqual(first.ask("value 1"), "\(acknowledged)")
    try await first.killNow()
    try await process.killNow()
    // The next one may have either name.
    let last = try OtherProcess()
    try await expectEqual(last.ask(open(second)), "ok")
    try await expectEqual(last.ask("value 1"), "\(acknowledged)")
    try await last.killNow()
    try expectEqual(file(path, isEncrypted).check(), [])
  }
}
