// SPDX-License-Identifier: Apache-2.0

// What has to hold when the storm is over.

#if Server
import Foundation

extension Storm {
  /// Compares what each device has with what a new device of its user gets, and, under rules that
  /// hide nothing, all devices with each other.
  func calm() throws {
    try calmNetwork()
    let twins = devices.indices.map { device($0, isReader: true) }
    defer { for twin in twins { twin.kill() } }
    if let nodes, options.spoil == .asynchronous {
      try nodes.loseCommits { try wait(seconds: 5) }
    } else if let spoil = options.spoil {
      _ = try wait(for: [devices[0]]) { $0.isReady }
      devices[0].ask("spoil \(spoil)")
    }
    guard try compare(twins, { device, twin, _ in device == twin }) else { return }
    try apply(.open)
    guard try compare(twins, { device, twin, first in device == twin && device == first })
    else { return }
    lookForObjects(Set(try list("keys", of: twins[0])))
    try count(list("marks", of: twins[0]))
  }

  /// Counts the marks. A reset may make again what the server has already, and a restored server
  /// has lost some.
  private func count(_ marks: [String]) {
    let entries = ledger.entries
    guard entries.resetCount == 0, entries.putAsideCount == 0, undone.isEmpty else {
      return Terminal.line("marks are not counted: devices were reset")
    }
    Terminal.line("\(marks.count) marks are there, \(entries.marked.count) were made")
    problems += MarkCount(marks, entries).problems
  }

  /// Asks for digests until they are as they should be. Returns whether they become so.
  private func compare(
    _ twins: [DeviceProcess],
    _ isRight: (_ device: String, _ twin: String, _ first: String?) -> Bool
  ) throws -> Bool {
    let end = StormClock.now + options.patience * 1_000_000
    while true {
      let all = devices + twins
      let silent = try wait(for: all) { $0.isReady }
      for device in all { device.ask("digest") }
      let stuck = try silent + wait(for: all) { $0.answer("digest") != nil || !$0.isReady }
      let digests = all.map { $0.answer("digest") }
      let wrong = devices.indices.filter { index in
        guard let device = digests[index], let twin = digests[devices.count + index]
        else { return true }
        return !isRight(device, twin, digests[0])
      }
      if wrong.isEmpty { return true }
      if StormClock.now > end {
        let isStuck = Set(stuck.map(\.name))
        for name in isStuck.sorted() { problems.append("\(name) is stuck") }
        for index in wrong
        where isStuck.isDisjoint(with: [devices[index].name, twins[index].name]) {
          problems.append("\(devices[index].name) differs from what a new device gets")
          problems += try differences(devices[index], twins[index])
        }
        return false
      }
      Thread.sleep(forTimeInterval: 0.2)
    }
  }

  /// Where the contents of two devices differ, as far as one line says it.
  private func differences(_ one: DeviceProcess, _ other: DeviceProcess) throws -> [String] {
    for device in [one, other] { device.ask("content") }
    _ = try wait(for: [one, other]) { $0.answer("content") != nil }
    guard let first = one.answer("content"), let second = other.answer("content") else { return [] }
    let lines = try [first, second].map {
      Set(try String(contentsOfFile: $0, encoding: .utf8).split(separator: "\n"))
    }
    let only = [lines[0].subtracting(lines[1]), lines[1].subtracting(lines[0])]
    return zip([first, second], only).map { path, lines in
      "  \(lines.count) lines are only in \(path), such as \(lines.min() ?? "none")"
    }
  }

  /// The keys of the objects that a device has, or the marks.
  private func list(_ request: String, of device: DeviceProcess) throws -> [String] {
    device.ask(request)
    _ = try wait(for: [device]) { $0.answer(request) != nil }
    return (device.answer(request) ?? "").split(separator: ",").map(String.init)
  }

  /// Looks for objects that were acknowledged, and for those that a device made at all: what it had
  /// not uploaded is in its file, and survives its kills and resets.
  private func lookForObjects(_ keys: Set<String>) {
    let entries = ledger.entries
    let lost = entries.acknowledged.filter { key, _ in
      !keys.contains(key) && !entries.deleted.contains(key)
    }
    lostCount = lost.count { isUndone($0.value) }
    report(lost.filter { !isUndone($0.value) }.keys, "acknowledged")
    report(
      entries.committed.filter { key, time in
        !keys.contains(key) && !entries.deleted.contains(key)
          && entries.acknowledged[key] == nil && !undone.contains { time <= $0.upperBound }
          && time > entries.putAside[String(key.prefix { $0 != "." })] ?? 0
      }.keys, "committed")
  }

  private func report(_ lost: some Collection<String>, _ what: String) {
    guard !lost.isEmpty else { return }
    problems.append(
      "\(lost.count) \(what) objects are lost: "
        + lost.sorted().prefix(10).joined(separator: ", "))
  }

  /// Whether the server may have said so after a backup that later took the place of its folder.
  private func isUndone(_ times: ClosedRange<Int>) -> Bool {
    undone.contains { $0.overlaps(times) }
  }
}
#endif
