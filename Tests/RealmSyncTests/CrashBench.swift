// SPDX-License-Identifier: Apache-2.0

// The versions of a simulated file, and which of them a crash may leave.

import RealmReplication
import RealmStorage
import RealmSync
import RealmTables
import RealmTestSupport

/// All of a file that must move together.
protocol CrashMark: Equatable {
  var version: UInt64 { get }

  init(_ file: DatabaseFile) throws
}

/// Notes what a synchronised file holds after each step, and opens the file after crashes.
struct CrashBench<Mark: CrashMark> {
  let system: SimulatedFileSystem
  let file: DatabaseFile
  /// What the file held after each step, from the empty file on.
  private(set) var marks: [Mark] = []
  private let recorded = RecordedWrite()

  init() throws {
    system = try SimulatedFileSystem()
    file = try system.openDatabase(history: .syncClient)
    try note()
  }

  /// Notes a version that was acknowledged.
  mutating func note() throws {
    marks.append(try Mark(file))
    system.file.acknowledge(file.newestVersion)
  }

  /// Notes a version that exists without being acknowledged.
  mutating func note(unacknowledged mark: Mark) { marks.append(mark) }

  /// Makes a recorded write of an app, and notes it.
  mutating func write(_ body: (WriteGroup) throws -> Void) throws {
    let group = try WriteGroup(file.beginWrite())
    try recorded.attach(to: group)
    try body(group)
    _ = try group.commit()
    try note()
  }

  /// Opens the file after each kind of crash. Returns what is wrong, five messages at most, and the
  /// number of crashes.
  ///
  /// - Parameter optionCount: How many versions a crash may leave, the first being the one that was
  ///   acknowledged last, whose index is given.
  func crash(
    using random: inout SeededGenerator, optionCount: (Int) -> Int = { _ in 2 }
  ) -> (messages: [String], count: Int) {
    var messages: [String] = []
    let states = CrashStates(of: system.file.trace, initial: [], sampleCount: 12)
    let count = states.forEach(using: &random) { state in
      guard messages.count < 5 else { return }
      do {
        let file = try SimulatedFileSystem(contents: state.contents)
          .openDatabase(history: .syncClient)
        let found = try Mark(file)
        let known = marks.lastIndex { $0.version <= state.acknowledged } ?? 0
        if !marks[known...].prefix(optionCount(known)).contains(found) {
          messages.append("\(state.name): version \(found.version) is none of those that were seen")
        }
        let findings = try DatabaseCheck.run(try file.snapshot())
        if findings != [] { messages.append("\(state.name): \(findings)") }
      } catch {
        messages.append("\(state.name): \(error)")
      }
    }
    return (messages, count)
  }
}
