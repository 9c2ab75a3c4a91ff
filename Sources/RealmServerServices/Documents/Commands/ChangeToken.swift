// SPDX-License-Identifier: Apache-2.0

// Where a stream of changes goes on.

#if Server
import RealmFormats

/// A version of a realm, with the random number that distinguishes it from the same version of a
/// restored backup.
struct ChangeToken: Hashable, Sendable {
  let version: UInt64
  let salt: UInt64

  init(version: UInt64, salt: UInt64) {
    self.version = version
    self.salt = salt
  }

  /// Nil for a value that is no token.
  init?(_ value: BSONValue) {
    guard let parts = value["_data"]?.text?.split(separator: "-"), parts.count == 2,
      let version = UInt64(parts[0], radix: 16), let salt = UInt64(parts[1], radix: 16)
    else { return nil }
    self.init(version: version, salt: salt)
  }

  var value: BSONValue {
    .document([
      BSONElement(
        "_data", .string(String(version, radix: 16) + "-" + String(salt, radix: 16)))
    ])
  }
}
#endif
