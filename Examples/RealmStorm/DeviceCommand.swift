// SPDX-License-Identifier: Apache-2.0

// The command of a device's process, which the storm starts.

#if Server
import ArgumentParser

struct DeviceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "device", abstract: "A device of a storm.", shouldDisplay: false)

  @Option var address: String
  @Option var dir: String
  @Option var mode: StormMode
  /// The name of the user.
  @Option var name: String
  /// How often the device was started before.
  @Option var life: Int
  @Option var seed: UInt64
  /// How far its clock is from that of the machine, in seconds.
  @Option var clock: Int64
  /// The device writes nothing.
  @Flag var reader = false

  func run() async throws { try await StormDevice(self).run() }
}
#endif
