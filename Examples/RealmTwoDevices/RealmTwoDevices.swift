// SPDX-License-Identifier: Apache-2.0

// Two devices of one program change the same data while both are offline. When they meet, their
// changes are merged, and this says what came of each conflict and why.
//
//     swift run realm-two-devices

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

@main
struct RealmTwoDevices {
  static func main() async {
    do {
      for line in try await Story().tell() { print(line) }
    } catch {
      print("realm-two-devices: \(error)")
      exit(1)
    }
  }
}
