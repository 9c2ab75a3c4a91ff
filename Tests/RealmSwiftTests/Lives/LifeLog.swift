// SPDX-License-Identifier: Apache-2.0

// What all that belongs to a life shares: its versions, and what was found.

import RealmStorage

/// The versions of the file since it was opened, and the findings of observers, which cannot throw.
final class LifeLog: Sendable {
  private struct Contents {
    var versions: [UInt64: LifeVersion] = [:]
    var findings: [String] = []
    var callCount = 0
  }

  private let contents = Locked(Contents())

  /// Forgets all versions: another file, or the same after it was closed.
  func begin(at number: UInt64, _ version: LifeVersion) {
    contents.withLock { $0.versions = [number: version.begun()] }
  }

  /// Notes a version before it is committed, so that observers know it when they hear of it.
  func note(_ number: UInt64, _ version: LifeVersion) {
    contents.withLock { $0.versions[number] = version }
  }

  func version(_ number: UInt64) -> LifeVersion? { contents.withLock { $0.versions[number] } }

  /// What was set after one version, through another one.
  func touched(after old: UInt64, through new: UInt64) -> [LifeKey: Set<String>] {
    contents.withLock { contents in
      var touched: [LifeKey: Set<String>] = [:]
      for (number, version) in contents.versions where number > old && number <= new {
        touched.merge(version.touched) { $0.union($1) }
      }
      return touched
    }
  }

  func find(_ text: String) { contents.withLock { $0.findings.append(text) } }

  func noteCall() { contents.withLock { $0.callCount += 1 } }

  var findings: [String] { contents.withLock { $0.findings } }
  var callCount: Int { contents.withLock { $0.callCount } }
}
