// SPDX-License-Identifier: Apache-2.0

// The reports of a simulated device's drivers.

import RealmStorage
import RealmSync
import RealmSyncProtocol

/// The reports of the drivers of a device, and the ends of waits. They survive the program.
final class SimulatedNews: Sendable {
  /// The end of a wait.
  enum End: Sendable {
    case done, failed
  }

  let problems = Locked<[String]>([])
  private let ends = Locked<[UInt64: End]>([:])
  /// Whether reports are those of a program at its end.
  let isMuted = Locked(false)
  /// Whether the network has refused the user, or failed for good.
  let mayFail = Locked(false)
  /// Whether the server may refuse writes, users and files.
  let mayBeRefused = Locked(false)
  /// Whether the user may not read, as far as the device knows.
  let isDenied = Locked(false)
  /// The causes of resets at the server's request, until they begin.
  let causes = Locked<[ResetCause]>([])
  /// The refused writes of the file, as the program hears of them.
  private let reports = Locked<[CompensatingWriteReport]>([])
  /// The versions of reports that the file still keeps.
  private let heardVersions = Locked<[UInt64]>([])
  /// The kinds of effects in the drivers' work.
  let met = Locked<Set<SimulatedDevice.EffectKind>>([])

  func meet(_ kind: SimulatedDevice.EffectKind) { met.withLock { _ = $0.insert(kind) } }

  func add(_ problem: String) { problems.withLock { $0.append(problem) } }

  // MARK: Waits

  func end(_ wait: UInt64, _ failure: SessionFailure?) {
    if isMuted.withLock({ $0 }) { return }
    meet(.finish)
    let isSecond = ends.withLock { ends in
      ends.updateValue(failure == nil ? .done : .failed, forKey: wait) != nil
    }
    if isSecond { add("a wait ended twice") }
    if let failure, !mayBeRefused.withLock({ $0 }) { add("a wait failed: \(failure)") }
  }

  /// The end of a wait; nil if it goes on.
  func end(of wait: UInt64) -> End? { ends.withLock { $0[wait] } }

  // MARK: Reports

  func hasReport(_ report: CompensatingWriteReport) -> Bool {
    reports.withLock { $0.contains { $0.has(report) } }
  }

  var reportCount: Int { reports.withLock { $0.count } }

  /// Notes a report; one that a program has heard before its end is heard again.
  func hear(_ report: CompensatingWriteReport) {
    heardVersions.withLock { $0.append(report.serverVersion) }
    reports.withLock { if !$0.contains(report) { $0.append(report) } }
  }

  /// The versions of reports that the file has not forgotten yet.
  func takeHeardVersions() -> [UInt64] {
    heardVersions.withLock { versions in
      defer { versions = [] }
      return versions
    }
  }

  /// Forgets the reports of a former file.
  func forgetReports() { reports.withLock { $0 = [] } }

  /// Forgets the server's requests to an earlier program.
  func forgetWishes() {
    causes.withLock { $0 = [] }
    isDenied.withLock { $0 = false }
    ends.withLock { $0 = [:] }
  }

  func take(_ event: ClientEvent) {
    if isMuted.withLock({ $0 }) { return }
    meet(.report)
    switch event {
    case .changed, .interrupted, .log, .failed(.closed, isFatal: false),
      .failed(.connectTimeout, _), .failed(.pongTimeout, _):
      break
    case .failed(.error(let code, _), isFatal: false) where code.connection == .connectionClosed:
      break
    case .failed(.closed, isFatal: true) where mayFail.withLock({ $0 }): break
    case .failed: add("\(event)")
    }
  }

  func take(_ event: SyncSessionEvent) {
    if isMuted.withLock({ $0 }) { return }
    meet(.sessionReport)
    let mayBeRefused = mayBeRefused.withLock { $0 }
    switch event {
    case .downloadProgress, .log: break
    // The file may still be that of an older session for a while.
    case .delayed(let code, _) where code.session == .sessionClosed: break
    case .needsReset(let mayRecover, let code, let document) where mayBeRefused:
      causes.withLock {
        $0.append(ResetCause(mayRecover: mayRecover, code: code, document: document))
      }
    case .compensatingWrite(let report, _) where mayBeRefused:
      hear(report)
    case .error(let code, _) where mayBeRefused && code.session == .permissionDenied:
      isDenied.withLock { $0 = true }
    default: add("\(event)")
    }
  }
}

extension CompensatingWriteReport {
  /// Whether it says what another one says: what a bootstrap passes goes into a later report.
  func has(_ other: CompensatingWriteReport) -> Bool {
    serverVersion >= other.serverVersion && rejectedClientVersion >= other.rejectedClientVersion
      && other.updates.allSatisfy(updates.contains)
  }
}
