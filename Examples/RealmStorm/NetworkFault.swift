// SPDX-License-Identifier: Apache-2.0

// What goes wrong in the network.

#if Server
/// A fault. Connections are numbered by their age, from 0, modulo how many there are.
enum NetworkFault: Hashable {
  /// From now on everything arrives so much later.
  case delay(milliseconds: Int)
  case cut(connection: Int)
  case cutAll
  /// One direction ends, the other goes on.
  case halfClose(connection: Int, towardsServer: Bool)
  /// All connections end, and new ones are closed at once for a time.
  case refuse(milliseconds: Int)
  /// Nothing arrives for a time, and no side hears of it.
  case hold(HoldDirection, milliseconds: Int)
  /// Every second connection ends.
  case cutHalf

  static func random(using random: inout StormGenerator) -> NetworkFault {
    let connection = Int.random(in: 0..<100, using: &random)
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<3: return .delay(milliseconds: Int.random(in: 0...200, using: &random))
    case 3..<6: return .cut(connection: connection)
    case 6: return .cutAll
    case 7: return .refuse(milliseconds: Int.random(in: 100...2_000, using: &random))
    default:
      return .halfClose(connection: connection, towardsServer: Bool.random(using: &random))
    }
  }
}
#endif
