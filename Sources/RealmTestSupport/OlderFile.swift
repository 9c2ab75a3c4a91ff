// SPDX-License-Identifier: Apache-2.0

// Files of older formats, made of newer ones by editing their bytes.

import Foundation
import RealmStorage

/// Edits the bytes of realm files that are not open.
package enum OlderFile {
  /// Lets the header of a file say an older format, and its top array that an app synchronises it.
  ///
  /// What a format before 23 stores in another way must not be in the file: dictionaries.
  ///
  /// - Parameters:
  ///   - format: The format; nil to keep the file's own.
  ///   - historyType: 3 for a synchronised file; nil to keep the file's own.
  /// - Returns: False, and the file is as it was, if it has no place for a history.
  package static func edit(_ path: String, format: Int?, historyType: Int? = nil) throws -> Bool {
    let url = URL(fileURLWithPath: path)
    var bytes = Array(try Data(contentsOf: url))
    let slot = Int(bytes[23] & 1)
    if let format { bytes[20 + slot] = UInt8(format) }
    if let historyType {
      let isStream = bytes[..<8].allSatisfy { $0 == 0xFF }
      let top = Int(number(bytes, isStream ? bytes.count - 16 : slot * 8, 8))
      // The header of a node: four bytes, its width and flags, and how many slots it has.
      let width = (1 << Int(bytes[top + 4] & 7)) >> 1
      let count = Int(bytes[top + 5]) << 16 | Int(bytes[top + 6]) << 8 | Int(bytes[top + 7])
      guard count >= 10, width >= 8 else { return false }
      let place = top + 8 + 7 * width / 8
      for index in 0..<width / 8 { bytes[place + index] = 0 }
      let hasChecksum = bytes[top..<top + 3] != [0x41, 0x41, 0x41]
      bytes[place] = UInt8(historyType << 1 | 1)
      if hasChecksum {
        unsafe bytes.withUnsafeMutableBytes { bytes in
          guard let start = bytes.baseAddress else { return }
          unsafe NodeChecksum.store(in: start + top, at: top)
        }
      }
    }
    try Data(bytes).write(to: url)
    return true
  }

  private static func number(_ bytes: [UInt8], _ place: Int, _ count: Int) -> UInt64 {
    bytes[place..<place + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
