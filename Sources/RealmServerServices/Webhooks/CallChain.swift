// SPDX-License-Identifier: Apache-2.0

// The triggers on the way to running code, also through webhooks: triggers in a ring would go on
// without end.
//
// A webhook that a trigger leads to gets the header `Realm-Chain: <depth>.<seconds since
// 1970>.<hexadecimal digits>`, and sends it back with the requests that it makes because of the
// call. The digits are HMAC with SHA-256 of the rest, by a key of this process, as a depth that
// clients could make up would suspend triggers.

#if Server
import RealmText

/// Hands the depth of a chain of triggers to webhooks, and takes it back.
package struct CallChain: Sendable {
  package static let header = "Realm-Chain"
  /// The triggers on the way to the running code.
  @TaskLocal package static var depth = 0
  /// Seconds after which a text is not taken back any more.
  private static let lifetime: Int64 = 3_600

  private let key: [UInt8]
  private let sign: @Sendable (_ message: [UInt8], _ key: [UInt8]) -> [UInt8]

  /// - Parameters:
  ///   - key: Random bytes.
  ///   - sign: HMAC with SHA-256.
  package init(
    key: [UInt8], sign: @escaping @Sendable (_ message: [UInt8], _ key: [UInt8]) -> [UInt8]
  ) {
    self.key = key
    self.sign = sign
  }

  /// The value of the header.
  ///
  /// - Parameter now: Seconds since 1970.
  package func text(depth: Int, now: Int64) -> String {
    let message = "\(depth).\(now)"
    return message + "." + HexadecimalText.text(sign(Array(message.utf8), key))
  }

  /// The depth of a header's value; nil if this process has not made it within the last hour.
  package func depth(of text: String, now: Int64) -> Int? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let depth = Int(parts[0]), let time = Int64(parts[1]),
      ConstantTime.areEqual(Array(self.text(depth: depth, now: time).utf8), Array(text.utf8)),
      now <= time + Self.lifetime
    else { return nil }
    return depth
  }
}
#endif
