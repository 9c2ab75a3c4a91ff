// SPDX-License-Identifier: Apache-2.0

// A device as the storm sees it.

#if Server
import Foundation

/// A device, whose process may end and be started again.
final class DeviceProcess {
  let name: String
  private let arguments: [String]
  private let errors: String
  private let seed: UInt64
  private let ledger: Ledger
  private let log: StormLog
  private let answers: DeviceAnswers
  private var child: ChildProcess?
  private(set) var life = 0
  /// When the process may start again, on the clock of `StormClock`.
  private var nextStart = 0
  /// How far its clock is from that of the machine, in seconds.
  private var clockOffset: Int64 = 0

  /// - Parameters:
  ///   - folder: Its name, too, unless a second device of the same user has it.
  ///   - isReader: Whether the device writes nothing.
  init(
    _ name: String, folder: String, address: String, mode: StormMode, seed: UInt64,
    isReader: Bool = false, ledger: Ledger, log: StormLog
  ) {
    self.name = isReader ? name + ".new" : name
    self.seed = seed
    self.ledger = ledger
    self.log = log
    answers = DeviceAnswers(self.name, ledger, log)
    errors = folder + ".txt"
    arguments =
      [
        "device", "--address", address, "--dir", folder, "--mode", mode.rawValue, "--name", name,
      ] + (isReader ? ["--reader"] : [])
  }

  var isReady: Bool { answers.isReady }
  var userID: String { answers.userID }

  /// Starts the process if it does not run and its time has come.
  func keepAlive() throws {
    if let child, child.isRunning { return }
    guard StormClock.now >= nextStart else { return }
    // It ends by itself for a reset.
    if let child, case let status = child.wait(), status != 0 {
      log.add(name, "ends with \(status)")
      ledger.take("failure", "\(name) has crashed (\(status)): see \(errors)")
    }
    answers.begin()
    let child = try ChildProcess(
      "realm-storm",
      arguments + [
        "--life", "\(life)", "--seed", "\(seed &+ UInt64(life))", "--clock=\(clockOffset)",
      ],
      errors: errors
    ) { [answers] line in answers.take(line) }
    log.add(name, "process \(child.number) starts")
    self.child = child
    life += 1
  }

  /// Sets its clock, now and for all its lives.
  func setClock(_ offset: Int64) {
    clockOffset = offset
    child?.send("clock \(offset)")
  }

  func kill(downMilliseconds: Int = 0) {
    child?.end()
    child = nil
    nextStart = StormClock.now + downMilliseconds * 1_000
  }

  /// The answer to a request; nil as long as there is none.
  func answer(_ request: String) -> String? { answers[request] }

  /// Sends a request, and forgets its earlier answer.
  func ask(_ request: String) {
    answers.forget(request)
    child?.send(request)
  }
}
#endif
