// SPDX-License-Identifier: Apache-2.0

// A server as one of several nodes.

#if Server
import Foundation

/// A server that starts again whenever it ends, as the service manager of a machine lets it.
final class StormNode {
  /// The time before another start, in milliseconds.
  private static let restartTime = 500

  let server: StormServer
  private let log: StormLog
  /// Whether the process has accepted connections.
  private var hasServed = false
  /// Whether the process was asked to end.
  private var isEnding = false
  /// When the process may start, on the clock of `StormClock`.
  private var nextStart = 0
  /// Lets the paused process go on when its input ends, and so when the storm is gone.
  private var pause: ChildProcess?
  private var pauseEnd = 0
  /// How often a process has ended before it served: the database was out of reach.
  private(set) var vainStartCount = 0

  init(_ server: StormServer, log: StormLog) { (self.server, self.log) = (server, log) }

  /// Starts the process if it does not run and its time has come.
  func keepAlive() throws {
    try look()
    if server.process == nil {
      guard StormClock.now >= nextStart else { return }
      (hasServed, isEnding) = (false, false)
      try server.launch()
    } else if !hasServed {
      hasServed = server.accepts
    }
  }

  /// Ends a pause whose time is over, and looks whether the process has ended.
  private func look() throws {
    let now = StormClock.now
    if pause != nil, now > pauseEnd { resume() }
    guard let status = server.takeEnd() else { return }
    log.add(server.name, "ends with \(status)")
    // A process that has just started may not know yet how to end in good order.
    if hasServed, !isEnding || status != 0 {
      // The folder of a storm in a test goes with the test.
      let said = (try? String(contentsOfFile: server.errors, encoding: .utf8)) ?? ""
      throw StormServer.Failure(
        description: "\(server.name) has ended with \(status): see \(server.errors).\n"
          + said.suffix(2_000))
    }
    if !isEnding { vainStartCount += 1 }
    nextStart = now + Self.restartTime * 1_000
  }

  func kill(downMilliseconds: Int = 0) {
    server.kill()
    resume()
    nextStart = StormClock.now + downMilliseconds * 1_000
  }

  /// Asks the process to end in good order.
  func stop() {
    guard server.process != nil else { return }
    isEnding = true
    server.stop()
  }

  /// Stops the process in whatever it does, until the time is over.
  func pause(milliseconds: Int) {
    guard pause == nil, let process = server.process else { return }
    log.add(server.name, "is paused")
    pause = try? ChildProcess(
      "/bin/sh", ["-c", "kill -STOP \(process); read line || kill -CONT \(process)"],
      errors: server.errors)
    pauseEnd = StormClock.now + milliseconds * 1_000
  }

  /// Lets a paused process go on.
  func resume() {
    guard let pause else { return }
    log.add(server.name, "goes on")
    self.pause = nil
    // With a line it sends no signal: the process may be another one's by now.
    pause.send("")
    _ = pause.wait()
    if let process = server.process { _ = Foundation.kill(process, SIGCONT) }
  }
}
#endif
