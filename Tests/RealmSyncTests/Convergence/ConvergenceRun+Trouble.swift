// SPDX-License-Identifier: Apache-2.0

// What the server of a run does to its devices: rules, backups that come back, trimmed histories,
// and refusals.

import RealmServerEngine
import RealmSync
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTestSupport

extension ConvergenceRun {
  /// The errors that let a device reset its file.
  private static let codes: [SessionErrorCode] = [
    .badClientFileIdent, .badServerVersion, .badClientVersion, .divergingHistories, .badChangeset,
    .badOriginFileIdent, .badClientFile, .clientFileExpired, .badProgress, .writeNotAllowed,
  ]

  /// Does one thing that devices do not expect.
  mutating func makeTrouble(with device: SimulatedDevice) async throws {
    switch random.number(below: 8) {
    case 0 where rules != nil:
      await network.setAccess(try rules?.draw())
      counts.ruleChanges += 1
    case 1, 2:
      guard let rules else { return }
      rules.drawData(of: device.user)
      await network.recheckAccess()
      counts.ruleChanges += 1
    case 3 where isRestorable, 4 where isRestorable && backups.isEmpty:
      backups.append(try network.backUp())
      if backups.count > 3 { backups.removeFirst() }
    case 4 where isRestorable:
      try await network.restore(random.pick(backups))
      counts.restores += 1
    case 5 where isRestorable: try await trim(offline: UInt64(random.pick([40, 80, 150])))
    case 6 where isRestorable && random.percent(40):
      // No device is there.
      try network.restartServer()
      letTimePass()
      try await trim(offline: 0)
    case 7 where isRestorable:
      let isFinal = random.percent(20)
      let refusal = SessionRefusal(
        random.pick(Self.codes), "refused by the run",
        action: isFinal ? .clientResetNoRecovery : .clientReset)
      if await network.refuse(device, refusal) { counts.refusals += 1 }
    default: return
    }
  }

  private mutating func trim(offline: UInt64) async throws {
    let trimmed = try await network.trim(offline: offline, expired: random.pick([0, 1 << 30]))
    counts.expired += trimmed.expiredFiles + trimmed.forgottenFiles
    counts.trimmedVersions += Int(trimmed.versions)
  }

  // MARK: Checking

  /// What the server has not of the changes that it has acknowledged, or has refused without a
  /// word (SY3).
  func lostChanges(
    of device: SimulatedDevice, _ ident: FileIdentifier, _ entries: [StoredEntry],
    _ snapshot: RealmSnapshot
  ) throws -> [String] {
    var problems: [String] = []
    var files = device.acknowledged
    // Everything that was recorded is at the server, once and in order.
    files[ident] = device.written
    for (file, versions) in files.sorted(by: { $0.key < $1.key }) {
      let stored = entries.filter { $0.file == file }.map(\.clientVersion)
      // Of an earlier identifier the server may have more than it has acknowledged.
      let known = file == ident ? stored : stored.filter { $0 <= versions.last ?? 0 }
      let isThere =
        snapshot.head.base == 0 ? known == versions : versions.suffix(known.count) == known[...]
      if !isThere {
        problems.append("the server has \(stored) of \(versions) of file \(file.rawValue)")
      }
    }
    let missing = try network.unreportedWrites(of: device, ident)
    if !missing.isEmpty { problems.append("refused and not reported: \(missing)") }
    return problems
  }

  /// The resets that failed without a reason.
  func unexpectedFailures(of device: SimulatedDevice) -> [String] {
    device.resets.failures.filter { failure in
      switch failure.error {
      case nil: device.resetMode != nil
      case .repeated?: false
      case .recoveryForbidden?: device.resetMode != .recover || failure.mayRecover
      // Classes are lost with a backup, or with what is discarded.
      case .removedClasses?, .removedProperties?:
        counts.restores == 0 && device.resetMode != .discard && failure.mayRecover
          && device.resets.interrupted == 0
      // A second copy that is refused is the last.
      case .copyRefused?: counts.restores + counts.refusals + counts.expired < 2
      case .download?: rules == nil || network.mode == .flexible
      case .unfit?, .withoutPrimaryKey?, .opening?, .cancelled?, .storage?: true
      }
    }.map { "\(device.name), \(String(describing: device.resetMode)): \($0)" }
  }
}

/// How often things happened in runs.
struct RunCounts {
  var ruleChanges = 0
  var restores = 0
  var refusals = 0
  /// The client files that the server expired or removed.
  var expired = 0
  var trimmedVersions = 0
  /// The compensating writes that programs heard of.
  var compensations = 0
  var resets = ResetCounts()

  /// The kinds of trouble that some dozens of runs have not met.
  ///
  /// - Parameter isLong: Whether there were hundreds, with rare kinds, too.
  func missing(isLong: Bool) -> [String] {
    var kinds = [
      ("rule changes", ruleChanges), ("compensations", compensations), ("restores", restores),
      ("refusals", refusals), ("expired files", expired), ("trimmed versions", trimmedVersions),
      ("recoveries", resets.recovered), ("recovered changes", resets.recoveredChanges),
      ("interrupted resets", resets.interrupted),
      ("unknown files", resets.causes[SessionErrorCode.badClientFileIdent.rawValue] ?? 0),
      ("expired clients", resets.causes[SessionErrorCode.clientFileExpired.rawValue] ?? 0),
    ]
    if isLong {
      kinds += [
        ("discards", resets.discarded), ("resets for the program", resets.failures.count),
        ("other salts", resets.causes[SessionErrorCode.divergingHistories.rawValue] ?? 0),
        ("refused files", resets.causes[SessionErrorCode.writeNotAllowed.rawValue] ?? 0),
      ]
    }
    return kinds.compactMap { name, count in count == 0 ? name : nil }
  }

  var text: String {
    """
    \(ruleChanges) rule changes, \(compensations) compensations, \(restores) restores, \
    \(refusals) refusals, \(expired) expired, \(trimmedVersions) trimmed, resets: \
    \(resets.causes.sorted { $0.key < $1.key }), \(resets.recovered) recovered \
    \(resets.recoveredChanges) changes, \(resets.discarded) discarded, \
    \(resets.interrupted) interrupted, \(resets.failureCounts.sorted { $0.key < $1.key })
    """
  }

  mutating func note(_ device: SimulatedDevice) {
    compensations += device.reportCount
    resets += device.resets
  }

  static func += (left: inout RunCounts, right: RunCounts) {
    left.ruleChanges += right.ruleChanges
    left.restores += right.restores
    left.refusals += right.refusals
    left.expired += right.expired
    left.trimmedVersions += right.trimmedVersions
    left.compensations += right.compensations
    left.resets += right.resets
  }
}
