// SPDX-License-Identifier: Apache-2.0

// The rules of each step, and the end of a run: all devices and the server meet.

import RealmServerEngine
import RealmStorage
import RealmSync
import RealmSyncProtocol

extension SyncNetwork {
  // MARK: Checking

  /// `SyncNetwork` 3
  func check() async throws {
    for device in devices where device.file.newestVersion != device.checkedVersion {
      let state = try device.state()
      device.checkedVersion = state.version
      checker.check(state, of: device.name)
    }
    for device in devices {
      let said = device.environment.state.withLock { state in
        defer { state.said = [] }
        return state.said
      }
      // Fresh copies are not checked.
      for said in said where said.session == device.session {
        checker.check(said, by: device.name, try device.state())
      }
    }
    checker.check(try await server.entries(after: checker.version))
  }

  /// `ContentChecker` 4, in partition mode: a run with queries compares its views itself.
  private func checkContents() async throws {
    guard mode == .partition else { return }
    let expected = try await server.digest()
    for device in devices where device.isOnline {
      let digest = try device.digest()
      checker.check(digest, of: device.name, expected)
      guard digest != expected else { continue }
      let snapshot = try await server.snapshot()
      ownProblems += try StateDifference.lines(
        from: snapshot.objects, .server, to: device.read(), device.ident())
    }
  }

  // MARK: Meeting

  /// Lets everything come to its end: all that devices have written is at the server and at all
  /// other devices then, as far as those are online.
  ///
  /// - Returns: Whether there was an end, without problems.
  package func settle() async throws -> Bool {
    for _ in 0..<10_000 {
      let ending = devices.filter { $0.isEnding }
      if ending.isEmpty { break }
      for device in ending { _ = await proceed(device) }
    }
    let online = devices.filter { $0.isOnline }
    for device in online { device.resume() }
    var waits = online.map { DeviceWaits($0) }
    for _ in 0..<100_000 {
      time.advance(by: 10)
      var isBusy = await proceedWithLostConnection()
      for device in devices where await proceed(device) { isBusy = true }
      // An error that ends a session may come again and again.
      guard problems.isEmpty else { return false }
      if isBusy { continue }
      for (index, device) in online.enumerated() where waits[index].isVoid(device) {
        waits[index] = DeviceWaits(device)
        isBusy = true
      }
      if isBusy { continue }
      if zip(online, waits).allSatisfy({ device, waits in waits.isOver(device) }) {
        try await checkContents()
        return problems.isEmpty
      }
      let next = devices.compactMap { device in
        device.environment.state.withLock { $0.timers.values.min() }
      }.min()
      guard let next else { return false }
      if next > time.now { time.advance(by: next - time.now) }
    }
    return false
  }
}

/// Waits for one device. They survive a reset, and not the program.
private struct DeviceWaits {
  let life: Int
  let ids: [UInt64]

  init(_ device: SimulatedDevice) {
    life = device.life
    ids = [.upload, .download].map { device.wait(for: $0) }
  }

  func isOver(_ device: SimulatedDevice) -> Bool {
    life == device.life && !device.isResetting
      && ids.allSatisfy { device.news.end(of: $0) == .done }
  }

  func isVoid(_ device: SimulatedDevice) -> Bool {
    life != device.life || ids.contains { device.news.end(of: $0) == .failed }
  }
}
