// SPDX-License-Identifier: Apache-2.0

// A fault that only a search which sees its coverage finds.

#if Tools && Server
extension FuzzTarget {
  /// Traps behind bytes that are compared one after the other.
  static let planted = FuzzTarget(
    name: "planted", byteCountMax: 64,
    run: { input, _ in
      let magic = Array("T-DB".utf8)
      guard input.count > 8 else { return .refused }
      for (index, byte) in magic.enumerated() {
        guard input[index] == byte else { return .refused }
      }
      // The sum of a count and an index from the bytes is not compared with their number.
      return input[Int(input[5]) + Int(input[6])] == 0 ? .refused : .read
    },
    seeds: { _ in [[UInt8](repeating: 0, count: 16)] })
}
#endif
