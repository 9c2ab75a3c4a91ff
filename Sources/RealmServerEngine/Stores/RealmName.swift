// SPDX-License-Identifier: Apache-2.0

// The names of realms.

/// The name of a realm of the server: an app, and in partition mode the partition.
package struct RealmName: Hashable, Sendable {
  package var app: String
  /// The text of the partition's value; nil for the one realm of an app in flexible mode.
  package var partition: String?

  package init(app: String, partition: String? = nil) {
    self.app = app
    self.partition = partition
  }

  /// The name of the realm's file: letters distinct in all file systems.
  package var fileID: RealmID {
    let realm = partition.map { "p_" + Self.escaped($0) } ?? "flexible"
    return RealmID(Self.escaped(app) + "/" + realm)
  }

  /// The longest written-out name.
  private static let nameByteCountMax = 120

  private static func escaped(_ text: String) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "_"):
        bytes.append(byte)
      default: bytes += [UInt8(ascii: "="), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    guard bytes.count > nameByteCountMax else { return String(decoding: bytes, as: UTF8.self) }
    // Two names with one hash are distinguished by the content of their file.
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    return String(decoding: bytes.prefix(nameByteCountMax), as: UTF8.self) + "=="
      + String(hash, radix: 16)
  }
}

/// The store's identifier of a realm.
package struct RealmID: Hashable, Sendable {
  package var rawValue: String

  package init(_ rawValue: String) { self.rawValue = rawValue }

  /// The beginning of the identifier, which all realms of an app have: the name of its folder. Two
  /// apps with very long names may have one.
  package var appName: Substring { rawValue.prefix { $0 != "/" } }

  /// The beginning of the identifiers of an app's realms.
  package static func name(ofApp app: String) -> String {
    String(RealmName(app: app).fileID.appName)
  }
}
