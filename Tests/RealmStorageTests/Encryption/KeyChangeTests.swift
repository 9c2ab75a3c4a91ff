// SPDX-License-Identifier: Apache-2.0

// A key is changed in place: whatever cuts it off, the file has the old key or the new one.

import Foundation
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

private let path = "/simulated/secret.realm"

struct KeyChangeTests {
  /// A change from one key to another, to none, or from none.
  enum Change: CaseIterable {
    case key, toPlain, fromPlain
  }

  private static func keys(_ change: Change) throws -> [EncryptionKey?] {
    switch change {
    case .key: [try TestKeys.vector(), try TestKeys.other()]
    case .toPlain: [try TestKeys.vector(), nil]
    case .fromPlain: [nil, try TestKeys.vector()]
    }
  }

  private struct Bench {
    let old: OlderFile
    let keys: [EncryptionKey?]
    let isSecret: Bool

    init(_ change: Change) throws {
      keys = try KeyChangeTests.keys(change)
      isSecret = change == .key
      old = try OlderFile(700, commitCount: 8, key: keys[0])
    }

    func folder() throws -> SimulatedFolder { try SimulatedFolder(path, contents: old.contents) }

    func run(in folder: SimulatedFolder) throws(StorageError) -> Bool {
      try DatabaseFile.changeKey(
        path: path, from: keys[0], to: keys[1], system: folder, registry: FileRegistry())
    }

    /// Which of the keys opens the file that holds the numbers; says what is wrong otherwise.
    func key(of folder: SimulatedFolder) throws -> Int {
      var found: [Int] = []
      for index in keys.indices {
        folder.restart()
        guard
          let file = try? DatabaseFile.open(
            path: path, options: OpenOptions(mustExist: true, encryptionKey: keys[index]),
            system: folder, registry: FileRegistry())
        else { continue }
        found.append(index)
        try expectEqual(NumberTree.numbers(of: file.snapshot()), old.numbers)
        try expectEqual(file.check().filter { $0.severity == .error }, [])
      }
      expectEqual(found.count, 1, "keys \(found)")
      expectEqual(Array(folder.files.keys), [path])
      return try #require(found.first)
    }

    /// Whether some bytes have numbers of the file as they are.
    func showsNumbers(_ bytes: [UInt8]) -> Bool {
      let data = Data(bytes)
      return old.numbers.prefix(40).contains { number in
        let pattern = withUnsafeBytes(of: number.littleEndian) { Data($0) }
        return data.range(of: pattern) != nil
      }
    }

    func expectSecret(_ folder: SimulatedFolder, _ comment: String) throws {
      guard isSecret else { return }
      for (name, file) in folder.files {
        try expectFalse(showsNumbers(file.contents()), "\(name), \(comment)")
      }
    }
  }

  @Test(arguments: Change.allCases) func aKeyIsChangedInPlace(_ change: Change) throws {
    let bench = try Bench(change)
    let folder = try bench.folder()
    try expectTrue(bench.run(in: folder))
    try expectEqual(bench.key(of: folder), 1)
    let copy = path + ".compaction"
    expectEqual(folder.events, [.make(copy), .replace(path, by: copy), .sync])
    // The version and the history stay, so that whoever follows the file goes on.
    let file = try DatabaseFile.open(
      path: path, options: OpenOptions(encryptionKey: bench.keys[1]), system: folder,
      registry: FileRegistry())
    expectEqual(file.newestVersion, 9)
    // In plain files the numbers are found: the test of what is secret can fail.
    expectEqual(try bench.showsNumbers(folder.files[path]?.contents() ?? []), change == .toPlain)
  }

  /// The process dies after each of its calls.
  @Test(.heavy, arguments: Change.allCases)
  func aChangeThatIsCutOffLeavesTheOldFileOrTheNew(_ change: Change) throws {
    let bench = try Bench(change)
    let counting = try bench.folder()
    _ = try bench.run(in: counting)
    let count = counting.callCount
    RandomRuns.report(count, "killed processes, \(change)")
    var outcomes: [Int] = []
    for call in 0..<count {
      let folder = try bench.folder()
      folder.die(afterCalls: call)
      #expect(throws: StorageError.self, "call \(call)") { try bench.run(in: folder) }
      try bench.expectSecret(folder, "call \(call)")
      let key = try bench.key(of: folder)
      outcomes.append(key)
      // What was cut off can be done again.
      if key == 0 {
        folder.restart()
        try expectTrue(bench.run(in: folder))
        try expectEqual(bench.key(of: folder), 1)
      }
    }
    expectEqual(outcomes, outcomes.sorted())
    expectEqual(Set(outcomes), [0, 1])
  }

  /// What a crash of the system leaves of the new file, wherever it was when it got its name.
  private func violations(_ change: Change, losesSyncs: Bool) throws -> (bad: Int, states: Int) {
    let bench = try Bench(change)
    let folder = try bench.folder()
    folder.ignoreSyncs(losesSyncs)
    try expectTrue(bench.run(in: folder))
    let new = try #require(folder.files[path])
    // The names: the old one until the folder is synced, the new one from its replacement on.
    expectEqual(folder.events.last, .sync)
    var random = SeededGenerator(seed: 3)
    let durable = CrashStates.durable(after: new.trace, initial: [])
    let pending = new.trace.reversed().prefix { $0 != .sync }.reversed()
    var bad = 0
    let states = try CrashStates(of: Array(pending), initial: durable, subsetLimit: 4)
      .forEach(using: &random) { state in
        let next = try SimulatedFolder(path, contents: state.contents)
        let file = try? DatabaseFile.open(
          path: path, options: OpenOptions(mustExist: true, encryptionKey: bench.keys[1]),
          system: next, registry: FileRegistry())
        let numbers = try? file.map { try NumberTree.numbers(of: $0.snapshot()) }
        if numbers != bench.old.numbers { bad += 1 }
      }
    return (bad, states)
  }

  @Test(arguments: Change.allCases)
  func aCrashOfTheSystemLeavesTheOldFileOrTheNew(_ change: Change) throws {
    let (bad, states) = try violations(change, losesSyncs: false)
    expectEqual(bad, 0)
    expectTrue(states > 0)
  }

  /// Without the sync of the new file before it gets the name, some crash leaves neither.
  @Test(arguments: Change.allCases) func aMissingSyncIsNoticed(_ change: Change) throws {
    try expectTrue(violations(change, losesSyncs: true).bad > 0)
  }

  @Test func aFileInUseAndADamagedOneKeepTheirKey() throws {
    let bench = try Bench(.key)
    let folder = try bench.folder()
    let registry = FileRegistry()
    let file = try DatabaseFile.open(
      path: path, options: OpenOptions(encryptionKey: bench.keys[0]), system: folder,
      registry: registry)
    try expectFalse(
      DatabaseFile.changeKey(
        path: path, from: bench.keys[0], to: bench.keys[1], system: folder, registry: registry)
    )
    withExtendedLifetime(file) {}
    expectEqual(folder.events, [])
    // With a wrong key nothing is done either.
    let other = try bench.folder()
    #expect(throws: StorageError.self) {
      try DatabaseFile.changeKey(
        path: path, from: bench.keys[1], to: bench.keys[0], system: other,
        registry: FileRegistry())
    }
    try expectEqual(bench.key(of: other), 0)
    // A number with a flipped bit: the copy would not be whole.
    let plain = try Bench(.fromPlain)
    var damaged = plain.old.contents
    let number = try #require(plain.old.numbers.first)
    let pattern = withUnsafeBytes(of: number.littleEndian) { Data($0) }
    for place in Data(damaged).ranges(of: pattern) { damaged[place.lowerBound] ^= 1 }
    let third = try SimulatedFolder(path, contents: damaged)
    let error = #expect(throws: StorageError.self) { try plain.run(in: third) }
    expectTrue(
      error.map { "\($0)" }?.contains("is not whole") == true, "\(String(describing: error))")
    try expectEqual(third.files[path]?.contents(), damaged)
    expectEqual(Array(third.files.keys), [path])
  }
}
